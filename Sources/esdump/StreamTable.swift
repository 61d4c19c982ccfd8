import CaptureAnalysis
import MessageFormat

/// A column of the list of conversations, by the name that `--sort` takes.
enum StreamColumn: String, CaseIterable, Sendable {
    case number, client, server, start, duration, packets, bytes, messages, users, retransmissions, gaps, ended

    /// Whether `a` comes before `b`: quantities from the largest down, the rest from the smallest up.
    func precedes(_ a: StreamSummary, _ b: StreamSummary) -> Bool {
        switch self {
        case .number: a.number < b.number
        case .client: (a.client, a.number) < (b.client, b.number)
        case .server: (a.server, a.number) < (b.server, b.number)
        case .start: (a.start, a.number) < (b.start, b.number)
        case .users:
            (a.users.first == nil ? 1 : 0, a.users.first ?? "", a.number) < (
                b.users.first == nil ? 1 : 0, b.users.first ?? "", b.number
            )
        case .ended: (a.ending.rawValue, a.number) < (b.ending.rawValue, b.number)
        case .duration: (b.duration, a.number) < (a.duration, b.number)
        case .packets: (b.packets, a.number) < (a.packets, b.number)
        case .bytes: (b.bytes, a.number) < (a.bytes, b.number)
        case .messages: (b.messages, a.number) < (a.messages, b.number)
        case .retransmissions: (b.retransmissions, a.number) < (a.retransmissions, b.number)
        case .gaps: (b.gaps, a.number) < (a.gaps, b.number)
        }
    }
}

/// The list as a table for people.
struct StreamTable {
    /// Columns of the terminal; `nil`: as wide as it gets.
    var width: Int?
    var isUTC = false

    private struct Column {
        var title: String
        var cells: [Cell] = []
        var isNumber = false
        /// The higher, the sooner it goes if the table is too wide; 0: never.
        var expendable = 0
        /// How far it may be shortened.
        var minimum: Int?
        var width: Int { max(title.count, cells.map(\.width).max() ?? 0) }
    }

    private struct Cell {
        var text: String
        var width: Int
        init(_ text: String) {
            self.text = text
            width = text.unicodeScalars.count
        }
        init(_ text: String, width: Int) {
            self.text = text
            self.width = width
        }
    }

    func text(_ list: [StreamSummary]) -> String {
        guard !list.isEmpty else { return "No conversations.\n" }
        var columns = columns(list)
        fit(&columns)
        let widths = columns.map(\.width)
        var text = ""
        for row in -1..<list.count {
            var line = ""
            for (column, width) in zip(columns, widths) {
                let cell = row < 0 ? Cell(column.title) : column.cells[row]
                let blanks = String(repeating: " ", count: max(0, width - cell.width))
                if !line.isEmpty { line += "  " }
                line += column.isNumber ? blanks + cell.text : cell.text + blanks
            }
            while line.last == " " { line.removeLast() }
            text += line + "\n"
        }
        return text
    }

    private func columns(_ list: [StreamSummary]) -> [Column] {
        func numbers(_ title: String, expendable: Int = 0, _ value: (StreamSummary) -> Int) -> Column {
            Column(title: title, cells: list.map { Cell(grouped(value($0))) }, isNumber: true, expendable: expendable)
        }
        var columns = [
            numbers("#") { $0.number },
            Column(title: "client", cells: list.map { Cell($0.client) }, minimum: 15),
            Column(title: "server", cells: list.map { Cell($0.server) }, minimum: 15),
            startColumn(list),
            Column(title: "seconds", cells: list.map { Cell(seconds($0.duration)) }, isNumber: true, expendable: 5),
            numbers("packets", expendable: 4) { $0.packets },
            numbers("bytes up") { Int($0.toServer.bytes) },
            numbers("down") { Int($0.toClient.bytes) },
            numbers("messages") { $0.messages },
            numbers("again", expendable: 6) { $0.retransmissions },
            numbers("gaps") { $0.gaps },
            Column(title: "ended", cells: list.map { Cell($0.ending.text) }, expendable: 2),
        ]
        if list.contains(where: { $0.transport == .udp }) {
            columns.insert(Column(title: "over", cells: list.map { Cell($0.transportName) }), at: 1)
        }
        if list.contains(where: { !$0.users.isEmpty }) {
            columns.append(Column(title: "users", cells: list.map(usersCell), expendable: 1, minimum: 8))
        }
        return columns
    }

    private func startColumn(_ list: [StreamSummary]) -> Column {
        let cells = list.map { summary in
            var buffer = OutputBuffer()
            var format = TimeFormat(style: .dateAndClock, isUTC: isUTC)
            format.append(summary.start, to: &buffer)
            // Without the microseconds: a list is not for measuring.
            return Cell(String(buffer.string().dropLast(7)))
        }
        return Column(title: "start", cells: cells, expendable: 3)
    }

    private func usersCell(_ summary: StreamSummary) -> Cell {
        var buffer = OutputBuffer()
        var width = 0
        for (index, user) in summary.users.enumerated() {
            if index > 0 { buffer.append(", ") }
            width += buffer.append(text: user) + (index > 0 ? 2 : 0)
        }
        let more = summary.moreUsers > 0 ? " +\(summary.moreUsers)" : ""
        return Cell(buffer.string() + more, width: width + more.count)
    }

    /// Makes the table as narrow as the terminal: the users' names short, then columns away, then addresses short.
    private func fit(_ columns: inout [Column]) {
        guard let limit = width else { return }
        func excess() -> Int { columns.reduce(-2) { $0 + $1.width + 2 } - limit }
        func shorten(_ title: String) {
            guard excess() > 0, let index = columns.firstIndex(where: { $0.title == title }) else { return }
            let minimum = columns[index].minimum ?? columns[index].width
            let width = max(minimum, columns[index].width - excess())
            columns[index].cells = columns[index].cells.map { shortened($0, to: width) }
        }
        shorten("users")
        while excess() > 0 {
            guard let index = columns.indices.max(by: { columns[$0].expendable < columns[$1].expendable }),
                columns[index].expendable > 0
            else { break }
            columns.remove(at: index)
        }
        shorten("client")
        shorten("server")
    }

    private func shortened(_ cell: Cell, to width: Int) -> Cell {
        guard cell.width > width else { return cell }
        var buffer = OutputBuffer()
        var used = 0
        var text = ""
        for character in cell.text {
            buffer.removeAll()
            // Of text that was made safe: only backslashes would be escaped again.
            let columns = character == "\\" ? 1 : buffer.append(text: String(character))
            guard used + columns < width else { break }
            used += columns
            text.append(character)
        }
        return Cell(text + "…", width: used + 1)
    }

    private func grouped(_ number: Int) -> String {
        let digits = String(number)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }

    private func seconds(_ nanoseconds: Int64) -> String {
        let milliseconds = nanoseconds / 1_000_000
        let fraction = String(1000 + milliseconds % 1000).dropFirst()
        return "\(milliseconds / 1000).\(fraction)"
    }
}
