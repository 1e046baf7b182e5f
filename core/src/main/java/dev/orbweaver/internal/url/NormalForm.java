package dev.orbweaver.internal.url;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.model.Fingerprint;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * Writes the normal form of a serialised http URL without fragment and credentials, and computes
 * its fingerprint. Owns a buffer, so it belongs to one thread.
 *
 * <p>Little is left to do after the WHATWG serialiser: runs of slashes, escapes, an empty query.
 * Decoding an escape cannot create a dot segment, because the parser has already taken {@code %2e}
 * for a dot. It cannot create an escape either, because a percent sign that starts none is itself
 * escaped. So the normal form of a normal form is itself.
 */
final class NormalForm {

    private static final byte[] HEX = "0123456789ABCDEF".getBytes(ISO_8859_1);

    private final FingerprintKey key;
    private final @Nullable NormalisationRules rules;
    private byte[] out = new byte[256];
    private int length;

    NormalForm(Normalisation settings, FingerprintKey key) {
        this.key = key;
        this.rules = settings.hasOptionalRules() ? new NormalisationRules(settings) : null;
    }

    /**
     * Returns whether a URL without escapes, double slashes and empty query is its own normal form.
     */
    boolean keepsPlainUrls() {
        return rules == null;
    }

    /** Computes the fingerprint of a URL in ASCII bytes. */
    Fingerprint fingerprint(byte[] url, int pathStart, int urlLength) {
        write(url, pathStart, urlLength);
        if (rules == null) {
            return Fingerprints.of(key, out, 0, length);
        }
        var ruled = rules.apply(text(), pathStart).getBytes(ISO_8859_1);
        return Fingerprints.of(key, ruled, 0, ruled.length);
    }

    /** Computes the fingerprint of a URL that is its own normal form. */
    Fingerprint fingerprintOfPlain(byte[] url, int urlLength) {
        return Fingerprints.of(key, url, 0, urlLength);
    }

    /** Returns the normal form as text, for tests and explanations. */
    String of(byte[] url, int pathStart, int urlLength) {
        write(url, pathStart, urlLength);
        return rules == null ? text() : rules.apply(text(), pathStart);
    }

    private String text() {
        return new String(out, 0, length, ISO_8859_1);
    }

    private void write(byte[] url, int pathStart, int urlLength) {
        // An unescaped percent sign grows from one byte to three.
        if (out.length < urlLength * 3) {
            out = Arrays.copyOf(out, urlLength * 4);
        }
        System.arraycopy(url, 0, out, 0, pathStart);
        length = pathStart;
        var inPath = true;
        for (var i = pathStart; i < urlLength; i++) {
            var b = url[i];
            if (b == '%') {
                i += escape(url, i, urlLength);
            } else if (b != '/' || !inPath || length == pathStart || out[length - 1] != '/') {
                inPath &= b != '?';
                out[length++] = b;
            }
        }
        if (out[length - 1] == '?' && isOnlyMark(url, pathStart, urlLength)) {
            length--;
        }
    }

    private static boolean isOnlyMark(byte[] url, int pathStart, int urlLength) {
        for (var i = pathStart; i < urlLength - 1; i++) {
            if (url[i] == '?') {
                return false;
            }
        }
        return true;
    }

    /**
     * Writes a percent sign or its escape in normal form and returns how many bytes after it were
     * consumed.
     */
    private int escape(byte[] url, int at, int urlLength) {
        var high = at + 2 < urlLength ? Ascii.hexValue(url[at + 1]) : -1;
        var low = at + 2 < urlLength ? Ascii.hexValue(url[at + 2]) : -1;
        if (high < 0 || low < 0) {
            writeEscape(2, 5);
            return 0;
        }
        var value = (high << 4) | low;
        if (isUnreserved(value)) {
            out[length++] = (byte) value;
        } else {
            writeEscape(high, low);
        }
        return 2;
    }

    private void writeEscape(int high, int low) {
        out[length++] = '%';
        out[length++] = HEX[high];
        out[length++] = HEX[low];
    }

    /** See RFC 3986 section 2.3. */
    private static boolean isUnreserved(int value) {
        return Ascii.isAlpha(value)
                || Ascii.isDigit(value)
                || value == '-'
                || value == '.'
                || value == '_'
                || value == '~';
    }
}
