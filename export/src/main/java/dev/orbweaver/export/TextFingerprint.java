package dev.orbweaver.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.parse.SimHash;
import dev.orbweaver.internal.parse.WordIterator;

import java.io.ByteArrayOutputStream;
import java.util.HashSet;

/**
 * A fingerprint of what a page says, for telling pages that say nearly the same.
 *
 * <p>SimHash weighs a pair of words by how often it comes. On an index or a table a few pairs come
 * so often that they alone decide, and pages with nothing else in common seem near. So each pair
 * counts once, marks and the targets of links not at all, and a page must have enough to say: of
 * the pages of three manuals, no two that differ are near to each other then.
 */
final class TextFingerprint {

    /** With fewer pairs than this, three bits are no sign. */
    private static final int PAIRS_MIN = 16;

    private TextFingerprint() {}

    /** 0 for a text that says too little to be compared. */
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
