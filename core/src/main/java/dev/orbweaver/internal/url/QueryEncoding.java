package dev.orbweaver.internal.url;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CodingErrorAction;

/**
 * Percent-encode after encoding (URL standard, section 1.3): the query of a special URL is escaped
 * in the document's encoding. A character that the encoding lacks becomes the escaped form of a
 * decimal character reference.
 *
 * <p>The Encoding standard and the JDK use different tables for some names. If the JDK has the
 * standard's table under another name, it is used ({@link #webCharset}); the few characters that
 * still differ are corrected here.
 */
final class QueryEncoding {

    private static final int REPLACEMENT = 0xFFFD;

    /** Characters that the JDK's EUC-JP lacks, then those at the same positions of its table. */
    private static final String EUC_JP_WEB = "\uFF0D\uFF5E\u2225\uFFE0\uFFE1\uFFE2";

    private static final String EUC_JP_JDK = "\u2212\u301C\u2016\u00A2\u00A3\u00AC";

    private final PercentEncodeSet set;
    private final CharsetEncoder encoder;
    private final String name;

    private QueryEncoding(PercentEncodeSet set, Charset charset) {
        this.set = set;
        this.encoder =
                charset.newEncoder()
                        .onMalformedInput(CodingErrorAction.REPORT)
                        .onUnmappableCharacter(CodingErrorAction.REPORT);
        this.name = charset.name();
    }

    /** Returns the query as it appears in the URL; {@code text} has no lone surrogates. */
    static String encode(String text, PercentEncodeSet set, Charset documentEncoding) {
        if (outputsUtf8(documentEncoding)
                || (Ascii.isAscii(text) && !isStateful(documentEncoding.name()))) {
            return set.encode(text);
        }
        return new QueryEncoding(set, webCharset(documentEncoding)).encode(text);
    }

    /** UTF-16 and decode-only encodings use UTF-8 (Encoding standard, "output encoding"). */
    private static boolean outputsUtf8(Charset charset) {
        return charset.equals(UTF_8) || charset.name().startsWith("UTF-") || !charset.canEncode();
    }

    private static boolean isStateful(String name) {
        return name.equals("ISO-2022-JP") || name.equals("x-windows-iso2022jp");
    }

    private static Charset webCharset(Charset charset) {
        var name =
                switch (charset.name()) {
                    case "US-ASCII", "ISO-8859-1" -> "windows-1252";
                    case "ISO-8859-9" -> "windows-1254";
                    case "TIS-620", "x-iso-8859-11" -> "x-windows-874";
                    case "Shift_JIS" -> "windows-31j";
                    case "ISO-2022-JP" -> "x-windows-iso2022jp";
                    case "EUC-KR" -> "x-windows-949";
                    case "GB2312" -> "GBK";
                    default -> charset.name();
                };
        return Charset.isSupported(name) ? Charset.forName(name) : charset;
    }

    private String encode(String original) {
        var text = replaceEquivalents(original);
        var out = new StringBuilder(text.length() * 3);
        var start = 0;
        while (start < text.length()) {
            var end = start;
            while (end < text.length() && !isUnencodable(text.charAt(end))) {
                end++;
            }
            start = encodeUpTo(text, start, end, out);
            if (start < text.length()) {
                var codePoint = text.codePointAt(start);
                out.append("%26%23")
                        .append(codePoint < 0x80 ? REPLACEMENT : codePoint)
                        .append("%3B");
                start += Character.charCount(codePoint);
            }
        }
        return out.toString();
    }

    /**
     * Replaces equivalent characters. The standard's Japanese encoders replace the minus sign by
     * its full-width form; only the JDK's EUC-JP needs other characters for the same bytes.
     */
    private String replaceEquivalents(String text) {
        return switch (name) {
            case "windows-31j", "x-windows-iso2022jp" -> text.replace('\u2212', '\uFF0D');
            case "EUC-JP" -> {
                var result = text;
                for (var i = 0; i < EUC_JP_WEB.length(); i++) {
                    result = result.replace(EUC_JP_WEB.charAt(i), EUC_JP_JDK.charAt(i));
                }
                yield result;
            }
            default -> text;
        };
    }

    /**
     * Returns whether the standard's encoders reject a character that the JDK's accept: U+E5E5 in
     * the Chinese ones, and in ISO-2022-JP controls that would switch its state, reported as
     * U+FFFD.
     */
    private boolean isUnencodable(char c) {
        if (isStateful(name)) {
            return c == 0x0E || c == 0x0F || c == 0x1B;
        }
        return c == 0xE5E5 && name.startsWith("GB");
    }

    /**
     * Encodes up to the end or to the first character that the encoding lacks, and returns its
     * index. The encoder is flushed there, so that a stateful encoding is back in ASCII.
     */
    private int encodeUpTo(String text, int start, int end, StringBuilder out) {
        var chars = CharBuffer.wrap(text, start, end);
        var bytes = ByteBuffer.allocate(256);
        encoder.reset();
        var result = encoder.encode(chars, bytes, true);
        while (result.isOverflow()) {
            drain(bytes, out);
            result = encoder.encode(chars, bytes, true);
        }
        drain(bytes, out);
        encoder.flush(bytes);
        drain(bytes, out);
        // The position of a wrapped part is relative to the start of the whole text.
        return chars.position();
    }

    private void drain(ByteBuffer bytes, StringBuilder out) {
        bytes.flip();
        while (bytes.hasRemaining()) {
            set.encodeByte(bytes.get() & 0xFF, out);
        }
        bytes.clear();
    }
}
