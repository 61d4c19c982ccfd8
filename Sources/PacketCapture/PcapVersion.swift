import CPcap

/// The name and version of the libpcap in use.
package func pcapVersion() -> String { String(cString: pcap_lib_version()) }
