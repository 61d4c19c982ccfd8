import BodyDescription
import PacketCapture

extension Options {
    /// Reads the file of `--describe`, if there is one.
    mutating func readDescribeFile() throws(CaptureError) {
        guard let describeFile else { return }
        do throws(DescriptionError) {
            describedBodies = try DescribedBodies(DescriptionFile(reading: describeFile))
        } catch {
            throw CaptureError(.usage, error.description)
        }
    }
}
