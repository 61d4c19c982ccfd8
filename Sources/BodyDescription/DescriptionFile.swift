#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A description of bytes in Kaitai Struct's language, read from a file and compiled.
package struct DescriptionFile: Sendable {
    let program: DescriptionProgram
    let bindings: [BodyBinding]
    /// The enums of the file's own type, by their names.
    let enums: [String: Int]
    /// As the file was named.
    package let name: String

    /// Reads and compiles a file and what it imports.
    ///
    /// Imports are looked for beside the file that imports them; those that begin with `/`, beside this file.
    package init(reading path: String) throws(DescriptionError) {
        guard let bytes = Self.contents(of: path) else {
            throw DescriptionError(path, nil, "cannot be read: \(String(cString: strerror(errno)))")
        }
        try self.init(bytes, name: path, load: Self.contents)
    }

    /// Compiles a description that is there already.
    /// - Parameter load: gives the contents of a file that is imported; `nil` if there is none.
    package init(
        _ bytes: [UInt8],
        name: String,
        load: @escaping (String) -> [UInt8]? = { _ in nil }
    ) throws(DescriptionError) {
        let reader = DeclarationReader(load: load)
        try reader.readMain(bytes, file: name)
        program = try DescriptionCompiler(reader).program()
        bindings = reader.types.compactMap(\.binding)
        enums = reader.types[program.root].enums
        self.name = name
    }

    package init(_ text: String, name: String, load: @escaping (String) -> [UInt8]? = { _ in nil })
        throws(DescriptionError)
    {
        try self.init(Array(text.utf8), name: name, load: load)
    }

    private static func contents(of path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        // One more than is allowed, so that the reader can say that it is too long.
        while bytes.count <= YAMLReader.maximumLength {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return ferror(file) == 0 ? bytes : nil
    }

    /// All values of the bytes, with those of the instances.
    package func tree(
        of bytes: [UInt8],
        limits: DescriptionLimits = DescriptionLimits(),
        showsSecrets: Bool = false
    ) -> DescribedTree {
        let interpreter = Interpreter(program, bytes: bytes, declared: bytes.count, limits: limits, notesLeaves: false)
        let (object, error) = interpreter.readRoot(program.root)
        var builder = TreeBuilder(interpreter, showsSecrets: showsSecrets)
        let value = builder.tree(of: object)
        return DescribedTree(value: value, errors: (error.map { [DescribedError($0)] } ?? []) + builder.errors)
    }

    /// Parameters of the file's own type, which nobody gives when it stands alone.
    package var parameters: [String] {
        let type = program.types[program.root]
        return type.parameters.map { type.slots[$0].name }
    }
}
