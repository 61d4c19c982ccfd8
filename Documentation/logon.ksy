meta:
  id: logon
  title: A log-on, described anew
  endian: le
  encoding: UTF-8

enums:
  # Names for message types: for an application's own numbers, or instead of the framework's.
  message_type:
    112: {id: sign_in, -orig-id: SignIn}

types:
  # Takes the place of what esdump knows of the request with type 112 in version 6.5.
  sign_in:
    -esdump-message-type: message_type::sign_in
    -esdump-direction: request
    -esdump-profile: [6.5]
    -esdump-title: Sign-in
    params:
      - id: body_length
        type: s4
    seq:
      - id: size
        type: s4
        valid: body_length - 4
      - id: product
        type: string
      - id: password
        type: string
      - id: token
        type: string
        -orig-id: SystemToken
    instances:
      has_password:
        value: password.length > 0

  string:
    seq:
      - id: length
        type: s4
        valid: {min: -1}
      - id: text
        type: str
        size: length
        if: length > 0
        -esdump-name: ""
