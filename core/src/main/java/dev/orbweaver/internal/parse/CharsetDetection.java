package dev.orbweaver.internal.parse;

import com.ibm.icu.text.CharsetDetector;

import java.util.Arrays;
import java.util.Set;

/**
 * The encoding of a document that does not say and is not UTF-8, guessed from the letters its
 * language would have (HTML standard, 13.2.3.2, step 8 allows it). ICU's detector knows some thirty
 * encodings; what it is not sure of is read as windows-1252, as browsers in the West do.
 *
 * <p>It is given the neighbourhood of bytes beyond ASCII only, without tags: they are what tells
 * encodings apart, and a page of markup would drown them. The sample is small, so a guess takes no
 * longer for a large page.
 */
final class CharsetDetection {

    private static final int SAMPLE_BYTES_MAX = 16_384;
    private static final int CONTEXT_BYTES = 12;

    /** Fewer bytes beyond ASCII fit any language. */
    private static final int NON_ASCII_MIN = 10;

    /** Ten is what the detector says of encodings in which the bytes are merely possible. */
    private static final int CONFIDENCE_MIN = 15;

    /** What the bytes have been found not to be, or what no page without a declaration is in. */
    private static final Set<String> EXCLUDED =
            Set.of("utf-8", "utf-16le", "utf-16be", "iso-2022-jp");

    private CharsetDetection() {}

    static Encoding detect(byte[] bytes, int length) {
        var sample = sample(bytes, length);
        if (countNonAscii(sample) < NON_ASCII_MIN) {
            return Encoding.WINDOWS_1252;
        }
        var match = new CharsetDetector().setText(sample).detect();
        if (match == null || match.getConfidence() < CONFIDENCE_MIN) {
            return Encoding.WINDOWS_1252;
        }
        return Encoding.forLabel(match.getName())
                .filter(encoding -> !EXCLUDED.contains(encoding.name()))
                .filter(encoding -> !encoding.equals(Encoding.REPLACEMENT))
                .orElse(Encoding.WINDOWS_1252);
    }

    private static int countNonAscii(byte[] sample) {
        var count = 0;
        for (var b : sample) {
            count += b < 0 ? 1 : 0;
        }
        return count;
    }

    /** The text around bytes beyond ASCII. */
    private static byte[] sample(byte[] bytes, int length) {
        var sample = new byte[SAMPLE_BYTES_MAX];
        var size = 0;
        var taken = 0;
        var at = ByteScan.indexOfNonAscii(bytes, 0, length);
        while (at < length && size < SAMPLE_BYTES_MAX) {
            var from = Math.max(taken, at - CONTEXT_BYTES);
            var to = Math.min(length, at + CONTEXT_BYTES);
            for (var i = from; i < to && size < SAMPLE_BYTES_MAX; i++) {
                sample[size++] = bytes[i] == '<' || bytes[i] == '>' ? (byte) ' ' : bytes[i];
            }
            taken = to;
            at = ByteScan.indexOfNonAscii(bytes, to, length);
        }
        return Arrays.copyOf(sample, size);
    }
}
