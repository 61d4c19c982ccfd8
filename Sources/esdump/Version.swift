import PacketCapture

/// The version of esdump; `Scripts/dist` reads it from here.
let version = "0.1.0"

/// What `--version` prints.
func versionText() -> String { "esdump \(version)\n\(pcapVersion())\n" }
