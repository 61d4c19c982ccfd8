/// The framework's own names of its message types, from its public classes (PROTOCOL.md section 4).
public enum MessageTypeNames {
    /// The name of a type; `nil` for an application's own types and those that are not known in that layout.
    public static func name(of type: UInt16, layout: HeaderLayout) -> String? {
        switch layout.startToken {
        case .ffff:
            // Of version 4.0 no more is known than this; its numbers are not those of the later versions.
            type == 116 ? "Logon" : nil
        case .ff: shared(type) ?? upTo65(type)
        case .zeroF: shared(type) ?? since72(type)
        }
    }

    /// Types that 7.2 and the versions before it have in common.
    private static func shared(_ type: UInt16) -> String? {
        switch type {
        case 101: "GetMyIPE"
        case 102: "PingByServer"
        case 103: "PingAck"
        case 104: "HeartBeat"
        case 105: "BeingPushedOutNotify"
        case 108: "KickOut"
        case 109: "BeingKickedOutNotify"
        case 110: "GetAllOnlineUsers"
        case 111: "QueryOnline"
        case 112: "Logon"
        case 113: "GetUserIPE"
        case 114: "QueryOnlines"
        case 115: "CallClient"
        case 199: "PingByP2PChannel"
        case 201: "InformationByPost"
        case 202: "InformationBySend"
        case 203: "Request"
        case 204: "Response"
        case 205: "InformationNeedAck"
        case 206: "Ack"
        case 207: "BlobInformation"
        case 208: "BlobByRapidEngine"
        case 209: "GetClientTimeRequest"
        case 210: "GetClientTimeResponse"
        case 301: "BeginSendFile"
        case 302: "RejectOrAcceptFile"
        case 303: "FilePackageData"
        case 304: "CancelFileSending"
        case 305: "CancelFileReceiving"
        case 306: "SingleFileRevFinishedNotify"
        case 307: "ContinueTransFile"
        case 401: "P2PLogon"
        case 402: "ReqUserData"
        case 403: "InviteTcpP2P"
        case 404: "InviteUdpP2P"
        case 405: "GetMyPublicIPE"
        case 408: "TcpP2PChannelTest"
        case 410: "Help4UDP_FeedbackVacancy"
        case 411: "Help4UDP_SynAck"
        case 412: "Help4UDP_Exit"
        case 413: "Help4UDP_PMTUTestAck"
        case 701: "ContactsOfflineNotify"
        case 702: "ContactsConnectedNotify"
        case 703: "GetGroupMembers"
        case 704: "BroadcastByServer"
        case 705: "BroadcastBlob"
        case 706: "GetContracts"
        case 800: "GetGroupInfomation"
        case 801: "JoinGroup"
        case 802: "QuitGroup"
        case 803: "PullIntoGroup"
        case 804: "RemoveFromGroup"
        case 805: "SomeoneJoinGroupNotify"
        case 806: "SomeoneQuitGroupNotify"
        case 814: "GetMyGroups"
        case 815: "SetGroupTag"
        case 816: "GroupTagChangedNotify"
        case 817: "InviteJoinGroup"
        case 818: "GetOnlineGroupmates"
        case 819: "Broadcast"
        default: nil
        }
    }

    /// Types of 4.7 and 6.5 alone.
    private static func upTo65(_ type: UInt16) -> String? {
        switch type {
        case 106: "PingByP2PChannel"
        case 406: "P2PUdpProbe"
        case 407: "ReceiveUdpP2PProbe"
        case 409: "GetMyPublicUdpPort"
        case 501: "FriendNotify"
        case 502: "GetFriends"
        case 601: "GroupmateOfflineNotify"
        case 602: "GroupmateConnectedNotify"
        case 603: "GetGroupMembers"
        case 604: "BroadcastByServer"
        case 605: "BroadcastBlob"
        default: nil
        }
    }

    /// Types of 7.2 alone.
    private static func since72(_ type: UInt16) -> String? {
        switch type {
        case 116: "GetMyOnlineDevice"
        case 117: "DeviceOnOfflineNotify"
        case 118: "QueryBeforeLogin"
        case 211: "BlobByRapidEngineNeedEcho"
        case 212: "BlobByRapidEngineEchoNotify"
        case 213: "BlobByRapidEngineToSpecialDevice"
        case 221: "BlobQuery"
        case 222: "BlobQueryResult"
        case 308: "AnswerOnOtherDeviceNotify"
        default: nil
        }
    }
}
