package dev.orbweaver.export;

import dev.orbweaver.internal.parse.MinHash;
import dev.orbweaver.internal.parse.WordIterator;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * The words of a page's main text as hashes, for deciding whether two texts are near-duplicates.
 *
 * <p>Case, punctuation and link targets do not count. The features of a text are its pairs of
 * successive words. The second occurrence of a pair is another feature than the first, so a table
 * of repeated words is compared by all of its cells.
 */
final class MainText {

    /** The bins of a sketch; the overlap that it estimates has a standard deviation of 0.03. */
    static final int SKETCH_BINS = 128;

    /**
     * The minimum share of the longer text's word pairs that near-duplicates have in common. A
     * replaced word changes two pairs, so one word in ten leaves 80 %, in short texts up to five
     * points less.
     */
    private static final double PAIRS_SHARE_MIN = 0.73;

    /**
     * The minimum share of common words. It excludes texts that have a long part in common and
     * another part of their own: that changes as many words as pairs.
     */
    private static final double WORDS_SHARE_MIN = 0.84;

    /** The minimum number of words; in a shorter text every word matters. */
    private static final int WORDS_MIN = 17;

    private final int[] words;

    MainText(int[] words) {
        this.words = words;
    }

    static MainText of(String markdown) {
        var iterator = new WordIterator(MarkdownLines.withoutLinkTargets(markdown));
        var words = IntStream.builder();
        while (iterator.next(1)) {
            words.add(hash(iterator.current().toLowerCase(Locale.ROOT)));
        }
        return new MainText(words.build().toArray());
    }

    int[] words() {
        return words;
    }

    boolean isComparable() {
        return words.length >= WORDS_MIN;
    }

    TextSketch sketch() {
        var pairs = sortedPairs();
        var minHash = new MinHash(SKETCH_BINS);
        var occurrence = 0;
        for (var i = 0; i < pairs.length; i++) {
            occurrence = i > 0 && pairs[i] == pairs[i - 1] ? occurrence + 1 : 0;
            minHash.add(mix(mix(pairs[i]) + occurrence));
        }
        return new TextSketch(minHash.value(), pairs.length);
    }

    /** Returns the share of common word pairs; 0 if the texts are not near-duplicates. */
    double nearness(MainText other) {
        if (share(sortedWords(), other.sortedWords()) < WORDS_SHARE_MIN) {
            return 0;
        }
        var pairs = share(sortedPairs(), other.sortedPairs());
        return pairs < PAIRS_SHARE_MIN ? 0 : pairs;
    }

    private long[] sortedWords() {
        var sorted = Arrays.stream(words).asLongStream().toArray();
        Arrays.sort(sorted);
        return sorted;
    }

    private long[] sortedPairs() {
        var pairs = new long[Math.max(0, words.length - 1)];
        for (var i = 0; i < pairs.length; i++) {
            pairs[i] = ((long) words[i] << Integer.SIZE) | (words[i + 1] & 0xFFFFFFFFL);
        }
        Arrays.sort(pairs);
        return pairs;
    }

    /** Returns the number of common elements of two sorted lists, relative to the longer one. */
    private static double share(long[] a, long[] b) {
        var common = 0;
        for (int i = 0, j = 0; i < a.length && j < b.length; ) {
            var order = Long.compare(a[i], b[j]);
            common += order == 0 ? 1 : 0;
            i += order <= 0 ? 1 : 0;
            j += order >= 0 ? 1 : 0;
        }
        return (double) common / Math.max(1, Math.max(a.length, b.length));
    }

    private static int hash(String word) {
        var hash = 1L;
        for (var i = 0; i < word.length(); i++) {
            hash = hash * 0x100000001B3L + word.charAt(i);
        }
        return (int) mix(hash);
    }

    /** Mixes all bits (Steele, Lea and Flood 2014). */
    private static long mix(long value) {
        var mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
