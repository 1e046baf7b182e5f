package dev.orbweaver.internal.parse;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * Computes a 64-bit fingerprint that changes little if the text changes little (Charikar 2002;
 * Manku, Jain and Das Sarma 2007, who treat pages that differ in up to three bits as duplicates).
 *
 * <p>Each word is hashed together with the one before it; bit i of the fingerprint is set if more
 * of these hashes have bit i set than not. Words are runs of bytes from {@code '0'} on: letters,
 * digits, non-ASCII bytes and a few other characters, ignoring case. So markup between words and
 * white space around them have no effect, and the same text in another encoding has another
 * fingerprint.
 *
 * <p><b>Implementation.</b> Sixty-four counters per word would cost more than the hashing. The
 * counters are bit-sliced: {@code planes[k]} has bit k of all of them. Hashes are added eight at a
 * time with carry-save adders (Harley and Seal), so that only one carry in eight propagates
 * further, and at the end all counters are compared with half the number of words at once. {@code
 * SimHashTest} compares the result with that of sixty-four plain counters.
 */
public final class SimHash {

    private static final long MIX = 0x9E3779B97F4A7C15L;
    private static final long MIX_PAIR = 0xBF58476D1CE4E5B9L;

    /** Counts to 2³¹, more words than any text has. */
    private static final int PLANES = 31;

    private static final int BATCH_SIZE = 8;

    private static final long HIGHS = 0x8080808080808080L;
    private static final long SMALL = 0x2020202020202020L;

    /** The addend that raises the bytes from '0' on, and only those, to 0x80 and above. */
    private static final long TO_HIGH = 0x5050505050505050L;

    private final long[] planes = new long[PLANES];
    private final long[] batch = new long[BATCH_SIZE];
    private int words;
    private long previousHash;
    private final @Nullable MinHash minHash;

    SimHash() {
        this(null);
    }

    /**
     * Creates a fingerprint of an empty text.
     *
     * @param minHash also receives the hash of each pair of words
     */
    SimHash(@Nullable MinHash minHash) {
        this.minHash = minHash;
    }

    /** Returns the fingerprint of one text; 0 if it has no words. */
    public static long of(byte[] text, int start, int end) {
        var hash = new SimHash();
        hash.add(text, start, end);
        return hash.value();
    }

    /** Returns the fingerprint of one text, whose pairs of words are also added to a sketch. */
    public static long of(byte[] text, int start, int end, MinHash minHash) {
        var hash = new SimHash(minHash);
        hash.add(text, start, end);
        return hash.value();
    }

    public static int distance(long a, long b) {
        return Long.bitCount(a ^ b);
    }

    /**
     * Adds the words of a part of the text. Words do not continue across parts.
     *
     * <p>Eight bytes are processed together: one addition yields where the first word in them ends
     * and the next one starts, without a branch per byte that the processor would mispredict at the
     * end of every word.
     */
    void add(byte[] bytes, int start, int end) {
        var word = 0L;
        var at = start;
        while (at < end) {
            var eight = ByteScan.longAt(bytes, at, end);
            var isWord = (((eight & ~HIGHS) + TO_HIGH) | eight) & HIGHS;
            var ends = isWord ^ HIGHS;
            if (ends == 0) {
                word = (word ^ (eight | SMALL)) * MIX;
                at += Long.BYTES;
                continue;
            }
            var length = Long.numberOfTrailingZeros(ends) >>> 3;
            var within = (1L << (length << 3)) - 1;
            word ^= (eight | SMALL) & within;
            if (word != 0) {
                count(word);
            }
            word = 0;
            at += Long.numberOfTrailingZeros(isWord & ~within) >>> 3;
        }
        if (word != 0) {
            count(word);
        }
    }

    /** Returns the fingerprint; nothing can be added afterwards. */
    long value() {
        var left = words % BATCH_SIZE;
        if (left > 0) {
            Arrays.fill(batch, left, BATCH_SIZE, 0);
            addBatch();
        }
        return countersAbove(words / 2);
    }

    private void count(long word) {
        var mixed = word * MIX;
        mixed ^= mixed >>> 29;
        var pair = (mixed + Long.rotateLeft(previousHash, 23)) * MIX_PAIR;
        previousHash = mixed;
        var hash = pair ^ (pair >>> 32);
        batch[words & (BATCH_SIZE - 1)] = hash;
        if (minHash != null) {
            minHash.add(hash);
        }
        words++;
        if ((words & (BATCH_SIZE - 1)) == 0) {
            addBatch();
        }
    }

    /** Returns the carry of three bits in each column; their sum is their {@code ^}. */
    private static long carry(long a, long b, long c) {
        return (a & b) | ((a ^ b) & c);
    }

    private void addBatch() {
        var w = batch;
        var ones = planes[0];
        var twosA = carry(ones, w[0], w[1]);
        ones ^= w[0] ^ w[1];
        var twosB = carry(ones, w[2], w[3]);
        ones ^= w[2] ^ w[3];
        var twosC = carry(ones, w[4], w[5]);
        ones ^= w[4] ^ w[5];
        var twosD = carry(ones, w[6], w[7]);
        planes[0] = ones ^ w[6] ^ w[7];
        var twos = planes[1];
        var foursA = carry(twos, twosA, twosB);
        twos ^= twosA ^ twosB;
        var foursB = carry(twos, twosC, twosD);
        planes[1] = twos ^ twosC ^ twosD;
        var eights = carry(planes[2], foursA, foursB);
        planes[2] ^= foursA ^ foursB;
        for (var plane = 3; eights != 0 && plane < PLANES; plane++) {
            var sum = planes[plane] ^ eights;
            eights &= planes[plane];
            planes[plane] = sum;
        }
    }

    /** Returns the bits whose counters exceed a number, evaluated from the highest plane down. */
    private long countersAbove(int number) {
        var above = 0L;
        var equal = -1L;
        for (var plane = PLANES - 1; plane >= 0; plane--) {
            var bits = planes[plane];
            if (((number >>> plane) & 1) == 0) {
                above |= equal & bits;
                equal &= ~bits;
            } else {
                equal &= bits;
            }
        }
        return above;
    }
}
