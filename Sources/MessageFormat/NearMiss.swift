/// The word that was probably meant: the one with the fewest changed letters, if they are few enough.
package func nearest(to word: String, among words: [String]) -> String? {
    // A word that was begun and not ended stands for the only one that begins so.
    let completions = words.filter { $0.hasPrefix(word) }
    if completions.count == 1, word.count >= 3 { return completions[0] }
    let limit = max(1, min(3, word.count / 3))
    return words.map { (word: $0, distance: editDistance(word, $0)) }
        .filter { $0.distance <= limit }
        .min { $0.distance < $1.distance }?.word
}

/// How many letters must be put in, taken out, changed or swapped with their neighbour.
package func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left.unicodeScalars.prefix(64))
    let right = Array(right.unicodeScalars.prefix(64))
    var beforePrevious: [Int] = []
    var previous = Array(0...right.count)
    for i in left.indices {
        var current = [i + 1]
        for j in right.indices {
            var best = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (left[i] == right[j] ? 0 : 1))
            if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                best = min(best, beforePrevious[j - 1] + 1)
            }
            current.append(best)
        }
        beforePrevious = previous
        previous = current
    }
    return previous[right.count]
}
