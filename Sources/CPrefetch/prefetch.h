/* Asks the processor for the cache line at an address, and does not wait for it. Swift has no word for this. The address is
   not accessed: none is wrong. */
static inline void fetchCacheLine(const void *address) {
    __builtin_prefetch(address);
}
