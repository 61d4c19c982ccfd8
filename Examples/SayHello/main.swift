// Logs on as aa01, says hello to bb02 and shows the first answer: SayHello [PORT]
import ESClient
import ESProtocol

let port = UInt16(CommandLine.arguments.last ?? "") ?? 4530
let client = ESClient(profile: SessionProfile(.v65))
try await client.connect(host: "localhost", port: port)
let result = try await client.logOn(userID: "aa01", password: "")
guard result.isSuccess else { fatalError("\(result)") }
try await client.send("hello", type: 1, to: "bb02")
for await case .message(let message) in client.incoming {
    print("\(message.sender): \(message.text)")
    break
}
await client.logOff()
