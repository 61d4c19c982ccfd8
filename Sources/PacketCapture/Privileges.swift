#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Giving up root's privileges once the device is open.
public enum Privileges {
    /// A user of this system.
    public struct User: Equatable, Sendable {
        public var name: String
        public var userID: UInt32
        public var groupID: UInt32
    }

    public static var isRoot: Bool { geteuid() == 0 }

    /// The user of this name.
    public static func user(named name: String) throws(CaptureError) -> User {
        guard let entry = getpwnam(name)?.pointee else { throw CaptureError(.usage, "there is no user \(name)") }
        return User(name: name, userID: entry.pw_uid, groupID: entry.pw_gid)
    }

    /// Whom files belong to, and whose rights remain, when root captures: the user who called sudo, otherwise `-Z`'s
    /// user, otherwise nobody. Nil where there are no privileges to give up.
    public static func remainingUser(option name: String?) throws(CaptureError) -> User? {
        guard isRoot else { return nil }
        if let user = callerOfSudo { return user }
        return try user(named: name ?? "nobody")
    }

    /// The user who called sudo, if it was not root.
    public static var callerOfSudo: User? {
        guard isRoot, let userID = number("SUDO_UID"), let groupID = number("SUDO_GID"), userID != 0 else { return nil }
        let name = getpwuid(userID).map { String(cString: $0.pointee.pw_name) }
        return User(name: name ?? String(userID), userID: userID, groupID: groupID)
    }

    /// Becomes this user, for good, and makes sure of it. Nothing happens where the program is not root.
    public static func drop(to user: User) throws(CaptureError) {
        guard isRoot else { return }
        #if canImport(Darwin)
            let group = Int32(bitPattern: user.groupID)
        #else
            let group = user.groupID
        #endif
        guard initgroups(user.name, group) == 0, setgid(user.groupID) == 0, setuid(user.userID) == 0 else {
            throw CaptureError(.permission, "privileges cannot be dropped to \(user.name): \(errorText(errno))")
        }
        let isDropped =
            getuid() == user.userID && geteuid() == user.userID && getgid() == user.groupID
            && getegid() == user.groupID
        guard isDropped, user.userID == 0 || (setuid(0) != 0 && seteuid(0) != 0) else {
            throw CaptureError(.permission, "privileges were not dropped to \(user.name)")
        }
    }

    private static func number(_ variable: String) -> UInt32? {
        getenv(variable).flatMap { UInt32(String(cString: $0)) }
    }
}
