/* What libpcap alone takes: hands every packet of a capture to a function that does nothing but count.
   cc -O2 packet-loop.c -o packet-loop -lpcap */
#include <pcap/pcap.h>
#include <stdio.h>

static unsigned long long count;

static void packet(unsigned char *user, const struct pcap_pkthdr *header, const unsigned char *bytes) {
    (void)user;
    (void)header;
    (void)bytes;
    count++;
}

int main(int argc, char **argv) {
    char error[PCAP_ERRBUF_SIZE];
    pcap_t *capture = argc == 2 ? pcap_open_offline(argv[1], error) : NULL;
    if (!capture) {
        fprintf(stderr, "packet-loop: %s\n", argc == 2 ? error : "needs the name of a capture");
        return 2;
    }
    int status = pcap_loop(capture, -1, packet, NULL);
    printf("%llu\n", count);
    pcap_close(capture);
    return status < 0;
}
