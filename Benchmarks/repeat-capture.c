/* Writes a capture of gen_capture.py to standard output N times over, as one long capture: each time with other clients
   (the first number of their addresses goes up) and later times, so that all connections are new.
   cc -O2 repeat-capture.c -o repeat-capture; repeat-capture FILE N */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { fileHeader = 24, recordHeader = 16, addresses = 14 + 12, server = 200 };

static int writeAll(const unsigned char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(1, bytes, count);
        if (written <= 0) return 0;
        bytes += written;
        count -= (size_t)written;
    }
    return 1;
}

int main(int argc, char **argv) {
    long repeats = argc == 3 ? atol(argv[2]) : 0;
    FILE *file = repeats > 0 && repeats <= 200 ? fopen(argv[1], "rb") : NULL;
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "repeat-capture FILE N (N at most 200)\n");
        return 2;
    }
    size_t size = (size_t)ftell(file);
    rewind(file);
    unsigned char *all = malloc(size);
    if (!all || size < fileHeader || fread(all, 1, size, file) != size) return 2;
    uint32_t first = 0, last = 0;
    memcpy(&first, all + fileHeader, 4);
    if (!writeAll(all, fileHeader)) return 1;
    for (long round = 0; round < repeats; round++) {
        size_t done = fileHeader;
        size_t position = fileHeader;
        while (position + recordHeader <= size) {
            uint32_t seconds, length;
            memcpy(&seconds, all + position, 4);
            memcpy(&length, all + position + 8, 4);
            if (round == 0) {
                last = seconds;
            } else {
                seconds += last - first + 1;
                memcpy(all + position, &seconds, 4);
                unsigned char *source = all + position + recordHeader + addresses;
                unsigned char *client = source[1] == server ? source + 4 : source;
                client[0]++;
            }
            position += recordHeader + length;
            /* What was just changed goes out while it is in the cache. */
            if (position - done >= 1 << 18) {
                if (!writeAll(all + done, position - done)) return 1;
                done = position;
            }
        }
        if (!writeAll(all + done, size - done)) return 1;
    }
    return 0;
}
