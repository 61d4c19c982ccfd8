// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "esdump",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [
        .library(name: "ESProtocol", targets: ["ESProtocol"]),
        .library(name: "ESClient", targets: ["ESClient"]),
        .executable(name: "esdump", targets: ["esdump"]),
    ],
    targets: [
        .systemLibrary(
            name: "CPcap",
            pkgConfig: "libpcap",
            providers: [.apt(["libpcap-dev"]), .brew(["libpcap"])]
        ),
        .systemLibrary(name: "CIconv"),
        .systemLibrary(
            name: "CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
        ),
        .systemLibrary(
            name: "CZstd",
            pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]
        ),
        .systemLibrary(
            name: "CLzma",
            pkgConfig: "liblzma",
            providers: [.apt(["liblzma-dev"]), .brew(["xz"])]
        ),
        .systemLibrary(
            name: "CBzip2",
            providers: [.apt(["libbz2-dev"]), .brew(["bzip2"])]
        ),
        // Salted hashes of passwords, by libxcrypt, which macOS does not have.
        .systemLibrary(name: "CCrypt", pkgConfig: "libcrypt", providers: [.apt(["libcrypt-dev"])]),
        .systemLibrary(
            name: "CLz4",
            pkgConfig: "liblz4",
            providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]
        ),
        .systemLibrary(
            name: "CYaml",
            pkgConfig: "yaml-0.1",
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]
        ),
        .systemLibrary(
            name: "CPcre2",
            pkgConfig: "libpcre2-8",
            providers: [.apt(["libpcre2-dev"]), .brew(["pcre2"])]
        ),
        // A header of this package, nothing to install: what Swift has no word for.
        .systemLibrary(name: "CPrefetch"),
        .target(name: "ESProtocol"),
        .target(name: "BodyDescription", dependencies: ["CIconv", "CYaml", "CZlib", "ESProtocol"]),
        .target(name: "DumpText"),
        .target(name: "Threads"),
        .target(name: "MessageFormat", dependencies: ["ESProtocol"]),
        .target(
            name: "PacketCapture",
            dependencies: ["CBzip2", "CLz4", "CLzma", "CPcap", "CPrefetch", "CZlib", "CZstd", "Threads"]
        ),
        .target(name: "NetworkStack", dependencies: ["PacketCapture"]),
        .target(
            name: "CaptureAnalysis",
            dependencies: ["CPcre2", "DumpText", "ESProtocol", "MessageFormat", "NetworkStack", "PacketCapture"]
        ),
        .target(name: "Sockets"),
        .target(name: "ESClient", dependencies: ["ESProtocol", "Sockets"]),
        .target(
            name: "ESServer",
            dependencies: [
                "ESProtocol", "Sockets", .target(name: "CCrypt", condition: .when(platforms: [.linux])),
            ]
        ),
        .executableTarget(
            name: "esdump",
            dependencies: [
                "BodyDescription", "CIconv", "CaptureAnalysis", "DumpText", "ESClient", "ESProtocol", "ESServer",
                "MessageFormat", "NetworkStack", "PacketCapture", "Sockets", "Threads",
            ],
            linkerSettings: [.linkedLibrary("iconv", .when(platforms: [.macOS]))]
        ),
        // The example of the documentation; ExampleTests runs it.
        .executableTarget(name: "SayHello", dependencies: ["ESClient", "ESProtocol"], path: "Examples/SayHello"),
        // Nanoseconds a packet and a message of each stage; no product.
        .executableTarget(
            name: "StageBenchmarks",
            dependencies: [
                "BodyDescription", "CaptureAnalysis", "ESProtocol", "MessageFormat", "NetworkStack", "PacketCapture",
            ],
            path: "Benchmarks/Stages"
        ),
        .target(name: "TestSupport", path: "Tests/TestSupport"),
        .testTarget(name: "ESProtocolTests", dependencies: ["ESProtocol", "TestSupport"]),
        .testTarget(name: "BodyDescriptionTests", dependencies: ["BodyDescription", "ESProtocol", "TestSupport"]),
        .testTarget(name: "DumpTextTests", dependencies: ["DumpText", "TestSupport"], exclude: ["Dumps"]),
        .testTarget(name: "MessageFormatTests", dependencies: ["MessageFormat", "ESProtocol"]),
        .testTarget(name: "PacketCaptureTests", dependencies: ["PacketCapture", "TestSupport"]),
        .testTarget(name: "NetworkStackTests", dependencies: ["NetworkStack", "PacketCapture", "TestSupport"]),
        .testTarget(name: "SocketsTests", dependencies: ["Sockets", "TestSupport"]),
        .testTarget(name: "ESClientTests", dependencies: ["ESClient", "ESProtocol", "Sockets", "TestSupport"]),
        .testTarget(
            name: "ESServerTests",
            dependencies: ["ESClient", "ESProtocol", "ESServer", "Sockets", "TestSupport"]
        ),
        .testTarget(
            name: "CaptureAnalysisTests",
            dependencies: [
                "BodyDescription", "CaptureAnalysis", "DumpText", "ESProtocol", "MessageFormat", "NetworkStack",
                "PacketCapture",
                "TestSupport",
            ]
        ),
        // What the fuzzers and the tests that replay their findings share.
        .target(
            name: "FuzzChecks",
            dependencies: [
                "BodyDescription", "CaptureAnalysis", "DumpText", "ESProtocol", "MessageFormat", "NetworkStack",
                "PacketCapture",
            ],
            path: "Fuzz/Checks"
        ),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzChecks", "PacketCapture", "TestSupport"]),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "esdump", "DumpText", "ESProtocol", "ESServer", "MessageFormat", "Sockets", "TestSupport",
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
