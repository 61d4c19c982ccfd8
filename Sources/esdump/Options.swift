import BodyDescription
import CaptureAnalysis
import ESProtocol
import MessageFormat
import NetworkStack
import PacketCapture

/// What the command line asks for.
struct Options: Equatable, Sendable {
    /// What is to be done other than showing a capture.
    enum Action: Equatable, Sendable {
        case showCapture
        case listStreams
        case showProtocol
        case followDescription
        case serve
        case chat
        case diffCaptures
        case replay
        case decode
        case encode
        case fixtures
        case listInterfaces
        /// The help text of the program, or of one of its commands.
        case help(command: String?)
        case version
        case manual
        case completion(Shell)
    }
    enum Shell: String, CaseIterable, Sendable { case bash, zsh, fish }
    enum Format: String, CaseIterable, Sendable { case breakdown, summary, hex, json }
    enum ColorChoice: String, CaseIterable, Sendable { case auto, always, never }
    /// A generation of the framework.
    enum Profile: String, CaseIterable, Sendable {
        case v40 = "4.0"
        case v47 = "4.7"
        case v65 = "6.5"
        case v72 = "7.2"

        var version: ProtocolVersion {
            switch self {
            case .v40: .v40
            case .v47: .v47
            case .v65: .v65
            case .v72: .v72
            }
        }
    }
    var action = Action.showCapture
    /// The command line without the name of the program.
    var arguments: [String] = []

    // Where packets come from.
    /// Files and folders to read; `-` is standard input.
    var readFiles: [String] = []
    /// The first of them.
    var readFile: String? { readFiles.first }
    /// Name of an interface, or its number in the list of `-D`.
    var interface: String?
    /// The filter as it stands on the command line; `nil` if there is none (or it is in `filterFile`).
    var filter: String?
    var filterFile: String?
    var promiscuous = true
    var snapLength = 262_144
    /// Of the kernel, in KiB; `nil` is the default of a live capture.
    var bufferKiB: Int?
    var packetCount: UInt64?
    var dropToUser: String?

    // Where packets go.
    /// File to write; `-` is standard output (no text is written then).
    var writeFile: String?
    /// When another file is begun.
    var rotation = Rotation()
    /// Flush after each packet that is written.
    var packetBuffered = false

    /// What of the packets is kept for `writeFile`; `nil`: all.
    var ring: PacketRing.Limits?

    // What is shown.
    var format = Format.breakdown
    /// `--fields`; shown in place of the format.
    var columns: ColumnOptions?
    /// What may be wrong with their names.
    var columnHints: [String] = []
    /// What follows each line of the summary (`-x`, `-X`).
    var hexDump = FormatOptions.HexDump.none
    var count = false
    var quiet = false
    var verbosity = 0
    var timeStyle = TimeStyle.clock
    var utc = false
    var lineBuffered = false
    var color = ColorChoice.auto
    var showSecrets = false
    /// Whether user ids, passwords and addresses are replaced.
    var redact = false
    /// Name of an encoding for the text column; `nil` is UTF-8.
    var encoding: String?

    // What is selected.
    var conversation: Int?
    var from: TimeArgument?
    var to: TimeArgument?
    /// What is asked of messages, as it was written.
    var expressions = MessageExpressions()
    /// Only messages that match are shown and counted.
    var messageFilter: MessageFilter?
    /// The first message that matches is the last.
    var until: MessageFilter?

    // The header layout.
    var profile: Profile?
    /// A file that says what an application has of its own.
    var profileFile: String?
    /// What it says; read before anything else is done.
    var customProfile: CustomProfile?
    /// A description of the application's own bodies.
    var describeFile: String?
    /// What it says.
    var describedBodies: DescribedBodies?
    /// The command `ksy`.
    var ksy = KsyOptions()
    var startToken: HeaderLayout.StartToken?
    var idSlot: UInt8?
    var userIDLength: Int?
    var maxMessage = 10 << 20

    // Reassembly. Times in nanoseconds, sizes in bytes.
    var gapPackets = 64
    var gapTime: Int64 = 1_000_000_000
    var gapMaxTime: Int64 = 3_000_000_000
    var oneWayTime: Int64 = 10_000_000_000
    var oneWayBytes = 256 << 10
    var streamBuffer = 4 << 20
    var streamPieces = 4096
    var totalBuffer = 256 << 20
    var maxConversations = 1_000_000
    var idleTime: Int64 = 3_600_000_000_000

    /// Which copy counts of bytes that came twice with different content.
    var overlap = OverlapPolicy.first
    /// Compare the checksums of IP, TCP and UDP.
    var verifyChecksums = false

    // The commands.
    var streams = StreamsOptions()
    // The command `protocol`.
    var reference = ProtocolOptions()
    var server = ServerCommandOptions()
    var chat = ChatCommandOptions()
    // The command `diff`.
    var diff = DiffOptions()
    // The command `replay`.
    var replay = ReplayOptions()
    // The commands `decode`, `encode` and `fixtures`.
    var decode = DecodeOptions()
    var encode = EncodeOptions()
    var fixtures = FixturesOptions()

    /// Threads that share the work; `nil`: as many as there are processors, and at most ``standardThreads``.
    var threads: Int?
    static let standardThreads = 4
    static let maximumThreads = 64

    /// Exit with status 1 if the kernel dropped packets.
    var strict = false
}
