meta:
  id: chat
  title: What the two users of Captures/chat-through-server.pcap say to each other
  endian: le
  encoding: UTF-8

enums:
  # esdump shows these names beside the numbers.
  information_type:
    1: chat_line
    2: greeting
    7: chat_line_with_receipt
    21: notice

types:
  # The contents of messages with InformationType 1, 2 or 7 are text and nothing else.
  line:
    -esdump-information-type: [1, 2, 7]
    seq:
      - id: text
        type: str
        size-eos: true

  # from_server_…: words with _ between them; the last one is whatever is left.
  notice:
    -esdump-information-type: information_type::notice
    -esdump-direction: reply
    seq:
      - id: preposition
        type: str
        terminator: 0x5f
        valid: '"from"'
      - id: sender
        type: str
        terminator: 0x5f
      - id: text
        type: str
        size-eos: true
    instances:
      is_from_server:
        value: sender == "server"
