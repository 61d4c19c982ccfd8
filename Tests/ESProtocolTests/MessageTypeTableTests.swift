import Foundation
import Testing

@testable import ESProtocol

/// The table of message types against the document that has the facts, where it lies beside the package.
struct MessageTypeTableTests {
    private static let document = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("shared/PROTOCOL.md")

    /// `209/210`, `803 / 804 / 817`, `807–813, 820`, `**112**`
    private func numbers(_ cell: Substring) -> [Int] {
        cell.filter { $0 != "*" && $0 != " " }.split(whereSeparator: { $0 == "/" || $0 == "," }).flatMap {
            part -> [Int] in
            let ends = part.split(separator: "–").compactMap { Int($0) }
            return ends.count == 2 && ends[0] <= ends[1] ? Array(ends[0]...ends[1]) : ends
        }
    }

    @Test func everyTypeOfTheDocumentIsKnown() throws {
        guard let text = try? String(contentsOf: Self.document, encoding: .utf8) else {
            print("skipped: \(Self.document.path) is not there")
            return
        }
        var checked = 0
        let start = try #require(text.range(of: "## 4. Message types"))
        let end = try #require(text.range(of: "## 5."))
        for line in text[start.upperBound..<end.lowerBound].split(separator: "\n") where line.hasPrefix("|") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
            let row = numbers(cells.first ?? "")
            // The direction stands behind the name in some tables.
            let names = (cells.dropFirst().first ?? "").split(separator: "/")
                .map { String($0.filter { $0 != "*" }.split(whereSeparator: { $0 == " " || $0 == "," }).first ?? "") }
            for (index, number) in row.enumerated() {
                let found = MessageTypeDescription.all.filter { Int($0.number) == number }
                #expect(!found.isEmpty, "\(number) of \(line)")
                checked += 1
                guard row.count == names.count, !row.isEmpty, index < names.count else { continue }
                // A row of several may leave out what their names have in common: `ContactsOffline / ConnectedNotify`.
                #expect(
                    found.contains { $0.name.contains(names[index]) },
                    "\(number) is called \(names[index]), here \(found.map(\.name))"
                )
            }
        }
        #expect(checked > 85)
    }

    @Test func numbersAreUniqueWithinAVersion() {
        for version in ProtocolVersion.allCases {
            let numbers = MessageTypeDescription.all.filter { $0.versions.contains(ProtocolVersions(version)) }
                .map(\.number)
            #expect(Set(numbers).count == numbers.count, "\(version)")
            #expect(numbers == numbers.sorted(), "\(version)")
        }
    }

    /// No version has two bodies for one direction, and a type has no body in a version that lacks it.
    @Test func eachDirectionHasOneBody() {
        for type in MessageTypeDescription.all {
            for body in type.bodies { #expect(type.versions.isSuperset(of: body.versions), "\(type.name)") }
            for version in type.versions.newestFirst {
                for direction in [BodyDirection.request, .reply] {
                    let bodies = type.bodies.filter {
                        $0.versions.contains(ProtocolVersions(version))
                            && ($0.direction == direction || $0.direction == .both)
                    }
                    #expect(bodies.count <= 1, "\(type.name) \(version) \(direction)")
                }
                // What only one side sends has no body of the other.
                for body in type.bodies {
                    if type.flow == .fromClient { #expect(body.direction == .request, "\(type.name)") }
                    if type.flow == .fromServer { #expect(body.direction == .reply, "\(type.name)") }
                    if type.flow == .any { #expect(body.direction == .both, "\(type.name)") }
                }
            }
        }
    }

    @Test func namesByDirection() {
        let profile = Profile(startToken: .ff)
        #expect(profile.messageTypeName(112, isRequest: true) == "Logon request")
        #expect(profile.messageTypeName(112, isRequest: false) == "Logon reply")
        #expect(profile.messageTypeName(104, isRequest: true) == "HeartBeat")
        #expect(profile.messageTypeName(116, isRequest: true) == nil)
        #expect(Profile(.v72).messageTypeName(116, isRequest: true) == "GetMyOnlineDevice request")
        #expect(profile.messageTypeName(813) == "InvitedJoinGroupNotify")
        #expect(profile.clientTypeName(6) == "others (4.7) or Xamarin (6.5)")
        #expect(profile.clientTypeName(5) == "Android")
    }
}
