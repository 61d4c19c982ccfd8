#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// When a capture goes on in another file, as with tcpdump.
public struct Rotation: Equatable, Sendable {
    /// Bytes after which the next packet begins a new file (`-C`).
    public var size: UInt64?
    /// Seconds after which the next packet begins a new file, named by the time of its first packet (`-G`).
    public var seconds: Int64?
    /// `-W`. With `size`: so many files, which are then written again from the first on. With `seconds` alone: after so many
    /// files the capture ends. With both it only says how many digits the numbers have.
    public var count: Int?
    /// The times in names are UTC.
    public var isUTC = false

    public init() {}

    var isOn: Bool { size != nil || seconds != nil }

    /// The name of a file: times are put in with `-G`, and the number behind it with `-C`.
    func path(_ template: String, number: Int, time: Int64) throws(CaptureError) -> String {
        var path = template
        if seconds != nil { path = try Self.expand(template, time: time, isUTC: isUTC) }
        guard size != nil else { return path }
        let digits = count.map { $0 > 1 ? String($0 - 1).count : 0 } ?? 0
        if number == 0, digits == 0 { return path }
        let text = String(number)
        return path + String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// strftime(3), for the last part of the path only.
    private static func expand(_ template: String, time: Int64, isUTC: Bool) throws(CaptureError) -> String {
        var seconds = time_t(time / 1_000_000_000)
        var parts = tm()
        if isUTC { gmtime_r(&seconds, &parts) } else { localtime_r(&seconds, &parts) }
        let name = OutputFolder.name(of: template)
        var buffer = [CChar](repeating: 0, count: 1024)
        let count = strftime(&buffer, buffer.count, name, &parts)
        let expanded = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard count > 0, !expanded.contains("/") else {
            throw CaptureError(.usage, "\(template): with the time in it, it is no name of a file (strftime(3))")
        }
        return String(template.dropLast(name.count)) + expanded
    }
}

/// Writes packets to one file, or to one after the other.
public final class RotatingWriter {
    private let template: String
    private var options: CaptureWriter.Options
    private let rotation: Rotation
    private let folder: OutputFolder?
    private var writer: CaptureWriter?
    private var number = 0
    /// Files that were begun because time had passed.
    private var periods = 0
    /// When the present period began; in nanoseconds.
    private var start: Int64 = 0
    /// Asked at the end of each file: what the interface received and dropped so far.
    public var statistics: (() -> CaptureStatistics)?
    /// Whether the last of the files of `-G` with `-W` is complete: nothing more is written.
    public private(set) var isOver = false

    /// Creates the file, or takes standard output for `-`. Where names come from the time of packets, the file is made with
    /// the first packet; that it can be made is found out now.
    /// - Parameters:
    ///   - folder: the file's folder, if it was opened before.
    ///   - isLive: whether packets come as they are captured; otherwise they say what time it is.
    public init(
        path: String,
        folder: OutputFolder? = nil,
        rotation: Rotation = Rotation(),
        options: CaptureWriter.Options = CaptureWriter.Options(),
        isLive: Bool = false
    ) throws(CaptureError) {
        template = path
        self.folder = folder
        self.rotation = rotation
        self.options = options
        // A number behind the name changes nothing.
        self.options.format = options.format ?? (path.hasSuffix(".pcapng") ? .pcapng : .pcap)
        if rotation.isOn { try folder?.checkThatItIsWritable() }
        if isLive || rotation.seconds == nil {
            start = wallClock()
            try openNext()
        } else {
            _ = try rotation.path(path, number: 0, time: wallClock())
        }
    }

    private func openNext() throws(CaptureError) {
        let path = try rotation.path(template, number: number, time: start)
        writer = try CaptureWriter(path: path, folder: folder, options: options)
    }

    /// Writes the file's header, which otherwise comes before the first packet.
    public func begin(linkType: UInt16, interface: String?) throws(CaptureError) {
        try writer?.begin(linkType: linkType, interface: interface)
    }

    public func write(_ packet: Packet, bytes: RawSpan, details: (any PacketDetails)?) throws(CaptureError) {
        if rotation.isOn { try rotate(before: packet) }
        guard !isOver, let writer else { return }
        if writer.format == .pcapng, let details {
            if writer.packetCount == 0 { writer.sectionComments = details.sectionComments }
            try writer.write(
                packet,
                bytes: bytes,
                comments: details.comments(of: packet),
                interface: details.interface(of: packet)
            )
        } else {
            try writer.write(packet, bytes: bytes)
        }
    }

    private func rotate(before packet: Packet) throws(CaptureError) {
        guard let writer else {
            start = packet.time
            return try openNext()
        }
        if let seconds = rotation.seconds, isOlder(than: seconds, at: packet.time) {
            periods += 1
            number = 0
            start = packet.time
            if let count = rotation.count, rotation.size == nil, periods >= count {
                isOver = true
                return
            }
        } else if let size = rotation.size, writer.byteCount > size {
            number += 1
            if let count = rotation.count, rotation.seconds == nil, number >= count { number = 0 }
        } else {
            return
        }
        try finishFile()
        self.writer = nil
        try openNext()
    }

    private func isOlder(than seconds: Int64, at time: Int64) -> Bool {
        let (age, overflow) = time.subtractingReportingOverflow(start)
        return !overflow && age / 1_000_000_000 >= seconds
    }

    /// Says what time it is while no packet comes: the last file of `-G` with `-W` ends without one too.
    public func timePassed(_ time: Int64) {
        guard let seconds = rotation.seconds, let count = rotation.count, rotation.size == nil else { return }
        if periods + 1 >= count, isOlder(than: seconds, at: time) { isOver = true }
    }

    private func finishFile() throws(CaptureError) {
        if let statistics { try writer?.writeStatistics(statistics(), time: wallClock()) }
        try writer?.finish()
    }

    /// Writes what is still in the buffer. Call it before letting go.
    public func finish() throws(CaptureError) {
        if writer == nil {
            start = wallClock()
            try openNext()
        }
        try finishFile()
    }
}
