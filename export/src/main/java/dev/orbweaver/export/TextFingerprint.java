package dev.orbweaver.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.parse.SimHash;
import dev.orbweaver.internal.parse.WordIterator;

import java.io.ByteArrayOutputStream;
import java.util.HashSet;

/**
 * Computes a fingerprint of a page's text, for detecting near-duplicates.
 *
 * <p>SimHash weights a pair of words by its frequency. On an index or a table a few frequent pairs
 * dominate, and pages with nothing else in common seem similar. So each pair counts once,
 * punctuation and link targets do not count, and a page needs a minimum number of pairs. With these
 * rules no two different pages of three manuals are near-duplicates.
 */
final class TextFingerprint {

    /** The minimum number of pairs; with fewer a distance of three bits is not significant. */
    private static final int PAIRS_MIN = 16;

    private TextFingerprint() {}

    /** Returns the fingerprint; 0 for a text that is too short to be compared. */
    static long of(String markdown) {
        var words = new WordIterator(MarkdownLines.withoutLinkTargets(markdown));
        var pairs = new HashSet<String>();
        var out = new ByteArrayOutputStream();
        var before = "";
        while (words.next(1)) {
            var word = words.current();
            if (pairs.add(before + " " + word)) {
                out.writeBytes(word.getBytes(UTF_8));
                out.write(' ');
            }
            before = word;
        }
        return pairs.size() < PAIRS_MIN ? 0 : SimHash.of(out.toByteArray(), 0, out.size());
    }
}
