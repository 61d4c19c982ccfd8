import MessageFormat
import PacketCapture

/// The text of `-D`: number, name, what it is, its state and addresses.
func interfaceListText(_ devices: [CaptureDevice]) -> String {
    devices.map { device in
        var states: [String] = []
        if device.isUp { states.append("up") }
        if device.isRunning { states.append("running") }
        if device.isLoopback { states.append("loopback") }
        if device.isWireless { states.append("wireless") }
        var line = "\(device.number).\(escapingControls(device.name))"
        if let description = device.description { line += " (\(escapingControls(description)))" }
        if !states.isEmpty { line += " [\(states.joined(separator: ", "))]" }
        if !device.addresses.isEmpty { line += " \(device.addresses.joined(separator: " "))" }
        return line + "\n"
    }.joined()
}
