package dev.orbweaver.internal.parse;

import java.util.Arrays;
import java.util.Base64;

/**
 * Computes a sketch of a set of features, from which the share of common features of two sets can
 * be estimated (Broder 1997). It uses one hash function: the features are divided into bins by the
 * first bits of their hashes, and each bin keeps its smallest hash (Li, Owen and Zhang 2012).
 *
 * <p>If two sets have a share J of their union in common (Jaccard similarity), each bin has the
 * same smallest hash with probability J. Eight bits of it are kept (Li and König 2010), so a bin is
 * equal by chance in one of 255 cases. A bin without a feature is 0. A text with fewer features
 * than bins therefore has a nearly exact result.
 */
public final class MinHash {

    /** The bins of the sketch in the page log. */
    public static final int PAGE_BINS = 32;

    private static final int VALUES = 255;
    private static final long VALUE_BITS = 0xFFFFFF;

    private final long[] minima;
    private final int shift;

    /**
     * Creates an empty sketch.
     *
     * @param bins a power of two
     */
    public MinHash(int bins) {
        if (Integer.bitCount(bins) != 1) {
            throw new IllegalArgumentException(
                    "the number of bins must be a power of two: " + bins);
        }
        minima = new long[bins];
        Arrays.fill(minima, Long.MAX_VALUE);
        shift = Long.SIZE - Integer.numberOfTrailingZeros(bins);
    }

    /** Adds a feature by its hash, all of whose bits must be mixed. */
    public void add(long hash) {
        var bin = (int) (hash >>> shift);
        if (hash < minima[bin]) {
            minima[bin] = hash;
        }
    }

    /** Returns a byte for each bin. */
    public byte[] value() {
        var value = new byte[minima.length];
        for (var bin = 0; bin < minima.length; bin++) {
            // The smallest hash has small first bits; its last bits are still evenly distributed.
            value[bin] =
                    minima[bin] == Long.MAX_VALUE
                            ? 0
                            : (byte) (1 + (minima[bin] & VALUE_BITS) % VALUES);
        }
        return value;
    }

    /** Returns the sketch as text for the page log; empty if no feature was added. */
    String text() {
        var value = value();
        for (var bin : value) {
            if (bin != 0) {
                return Base64.getUrlEncoder().withoutPadding().encodeToString(value);
            }
        }
        return "";
    }

    /**
     * Returns the sketch of a page that the page log has as text.
     *
     * @throws IllegalArgumentException if the text is not a sketch
     */
    public static byte[] ofPage(String text) {
        var value = Base64.getUrlDecoder().decode(text);
        if (value.length != PAGE_BINS) {
            throw new IllegalArgumentException("not a sketch of " + PAGE_BINS + " bytes: " + text);
        }
        return value;
    }

    /** Returns the estimated Jaccard similarity of two sketches with the same number of bins. */
    public static double similarity(byte[] a, byte[] b) {
        var equal = 0;
        var used = 0;
        for (var bin = 0; bin < a.length; bin++) {
            if ((a[bin] | b[bin]) != 0) {
                used++;
                equal += a[bin] == b[bin] ? 1 : 0;
            }
        }
        return used == 0 ? 0 : (double) equal / used;
    }
}
