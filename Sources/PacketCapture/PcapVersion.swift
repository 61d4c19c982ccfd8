import CPcap

/// The name and version of the libpcap in use.
public func pcapVersion() -> String { String(cString: pcap_lib_version()) }
