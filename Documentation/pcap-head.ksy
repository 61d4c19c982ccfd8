meta:
  id: pcap_head
  title: The head of a pcap file, and its first packet
  endian: le

seq:
  - id: magic
    contents: [0xd4, 0xc3, 0xb2, 0xa1]
  - id: version_major
    type: u2
  - id: version_minor
    type: u2
  - size: 8
  - id: snap_length
    type: u4
  - id: link_type
    type: u4
    enum: link_type
  - id: first_packet
    type: packet
    if: not _io.eof

types:
  packet:
    seq:
      - id: seconds
        type: u4
      - id: microseconds
        type: u4
      - id: captured
        type: u4
      - id: length
        type: u4
      - id: data
        size: captured
    instances:
      is_whole:
        value: captured == length

enums:
  link_type:
    1: ethernet
    101: raw_ip
