package dev.orbweaver.internal.parse;

import com.ibm.icu.text.CharsetDetector;

import java.util.Arrays;
import java.util.Set;

/**
 * Detects the encoding of a document that declares none and is not UTF-8, by the letters of its
 * language. The HTML standard (13.2.3.2, step 8) permits this. ICU's detector knows about thirty
 * encodings; without a confident result, windows-1252 is used, as in Western browsers.
 *
 * <p>The detector gets only the surroundings of non-ASCII bytes, without tags: those bytes
 * distinguish encodings, and markup would outweigh them. The sample is small, so detection takes no
 * longer for a large page.
 */
final class CharsetDetection {

    private static final int SAMPLE_BYTES_MAX = 16_384;
    private static final int CONTEXT_BYTES = 12;

    /** Fewer non-ASCII bytes match any language. */
    private static final int NON_ASCII_MIN = 10;

    /** The detector reports ten for encodings in which the bytes are merely possible. */
    private static final int CONFIDENCE_MIN = 15;

    /** Encodings that were ruled out before, or that no page without a declaration uses. */
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

    /** Returns the text around non-ASCII bytes. */
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
