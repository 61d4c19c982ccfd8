#!/usr/bin/env python3
"""Makes captures that are hard in one way, for Scripts/bench (standard library only).

    special_capture.py open N FILE      N connections that are open at once, with a message each way
    special_capture.py small N FILE     N messages without a body in one connection, as full segments
    special_capture.py bytes N FILE     the same messages, one byte a segment
    special_capture.py plain N FILE     N messages of 500 bytes in one connection, one a segment
    special_capture.py live N FILE      N messages of 60 bytes in 50 connections, one a segment: to be sent by tcpreplay

Ethernet, IPv4, TCP with valid checksums; the layout is that of version 6.5 (headers of 36 bytes). The number of messages is printed.
"""
import struct, sys

MAC = bytes.fromhex('020000000002') + bytes.fromhex('020000000001') + b'\x08\x00'


def checksum(data):
    if len(data) % 2:
        data += b'\0'
    return 65535 - int.from_bytes(data, 'big') % 65535


class Writer:
    def __init__(self, path):
        self.file = open(path, 'wb', buffering=1 << 20)
        self.file.write(struct.pack('<IHHiIII', 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1))
        self.time = 1_700_000_000_000_000

    def segment(self, source, destination, sequence, acknowledgement, flags, payload=b''):
        self.time += 5
        (address, port), (address2, port2) = source, destination
        tcp = struct.pack('>HHIIBBHHH', port, port2, sequence & 0xFFFFFFFF, acknowledgement & 0xFFFFFFFF, 0x50, flags,
                          0xFAF0, 0, 0) + payload
        pseudo = address + address2 + struct.pack('>HH', 6, len(tcp))
        tcp = tcp[:16] + struct.pack('>H', checksum(pseudo + tcp)) + tcp[18:]
        ip = struct.pack('>BBHHHBBH4s4s', 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0, address, address2)
        ip = ip[:10] + struct.pack('>H', checksum(ip)) + ip[12:]
        packet = MAC + ip + tcp
        self.file.write(struct.pack('<IIII', self.time // 1_000_000, self.time % 1_000_000, len(packet), len(packet)))
        self.file.write(packet)


class Connection:
    def __init__(self, writer, number):
        self.writer = writer
        self.ends = (bytes([10, 1 + (number >> 16), number >> 8 & 255, number & 255]), 20000 + number % 40000), \
            (bytes([10, 200, 0, 1]), 4530)
        self.next = [1000 + number, 5000 + number]

    def send(self, side, payload=b'', flags=0x18):
        self.writer.segment(self.ends[side], self.ends[1 - side], self.next[side],
                            self.next[1 - side] if flags & 0x10 else 0, flags, payload)
        self.next[side] += len(payload) + (flags & 3 != 0)

    def open(self):
        self.send(0, flags=0x02)
        self.send(1, flags=0x12)
        self.send(0, flags=0x10)

    def close(self):
        self.send(0, flags=0x11)
        self.send(1, flags=0x11)


def message(number, body, to_server=True):
    ids = [b'u%06d' % (number % 1_000_000), b'_0']
    user, destination = ids if to_server else reversed(ids)
    slot = lambda text: bytes([len(text)]) + text.ljust(11, b'\0')
    return b'\xff\0' + struct.pack('<Hii', 300 + number % 50, number & 0x7FFFFFFF, len(body)) + slot(user) + slot(destination) + body


def main():
    if len(sys.argv) != 4 or not sys.argv[2].isdigit():
        sys.exit(__doc__)
    kind, count, writer = sys.argv[1], int(sys.argv[2]), Writer(sys.argv[3])
    if kind == 'open':
        for number in range(count):
            connection = Connection(writer, number)
            connection.open()
            connection.send(0, message(number, b'x' * 24))
            connection.send(1, message(number, b'y' * 24, to_server=False))
        print(2 * count)
        return
    if kind == 'live':
        connections = [Connection(writer, number) for number in range(50)]
        for connection in connections:
            connection.open()
        for number in range(count):
            connections[number % 50].send(0, message(number, b'z' * 24))
        for connection in connections:
            connection.close()
        print(count)
        return
    connection = Connection(writer, 1)
    connection.open()
    if kind == 'plain':
        for number in range(count):
            connection.send(0, message(number, b'x' * 464))
    elif kind in ('small', 'bytes'):
        stream = b''.join(message(number, b'') for number in range(count))
        step = 1460 if kind == 'small' else 1
        for start in range(0, len(stream), step):
            connection.send(0, stream[start:start + step])
    else:
        sys.exit(__doc__)
    connection.close()
    print(count)


main()
