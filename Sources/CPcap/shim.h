#include <pcap/pcap.h>

/* A flag that a signal handler sets and other code reads; lock-free on every platform that esdump runs on. */
static inline void es_flag_set(int *flag, int value) { __atomic_store_n(flag, value, __ATOMIC_RELAXED); }
static inline int es_flag_get(const int *flag) { return __atomic_load_n(flag, __ATOMIC_RELAXED); }
