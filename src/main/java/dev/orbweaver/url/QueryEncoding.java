package dev.orbweaver.url;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CodingErrorAction;
import java.util.Locale;

/**
 * Percent-encode after encoding (URL standard, section 1.3): the query of a special URL is escaped
 * in the document's encoding, and what that encoding cannot say becomes the escaped form of a
 * decimal character reference.
 */
final class QueryEncoding {

    private static final int PRIVATE_USE_WITHOUT_GB18030 = 0xE5E5;

    private final PercentEncodeSet set;
    private final CharsetEncoder encoder;
    private final boolean chinese;

    private QueryEncoding(PercentEncodeSet set, Charset charset) {
        this.set = set;
        this.encoder =
                charset.newEncoder()
                        .onMalformedInput(CodingErrorAction.REPORT)
                        .onUnmappableCharacter(CodingErrorAction.REPORT);
        var name = charset.name().toUpperCase(Locale.ROOT);
        this.chinese = name.startsWith("GB");
    }

    /** The query as it stands in the URL; {@code text} holds no lone surrogates. */
    static String encode(String text, PercentEncodeSet set, Charset documentEncoding) {
        if (outputsUtf8(documentEncoding)
                || (Ascii.isAscii(text) && !isStateful(documentEncoding))) {
            return set.encode(text);
        }
        return new QueryEncoding(set, documentEncoding).encode(text);
    }

    /**
     * UTF-16 documents, and those in an encoding that only decodes, submit UTF-8 (Encoding
     * standard, "get an output encoding").
     */
    private static boolean outputsUtf8(Charset charset) {
        return charset.equals(UTF_8) || charset.name().startsWith("UTF-") || !charset.canEncode();
    }

    /** In ISO-2022-JP even an ASCII control character can be unencodable. */
    private static boolean isStateful(Charset charset) {
        return charset.name().startsWith("ISO-2022");
    }

    private String encode(String text) {
        var out = new StringBuilder(text.length() * 3);
        var start = 0;
        while (start < text.length()) {
            var refused = chinese ? text.indexOf(PRIVATE_USE_WITHOUT_GB18030, start) : -1;
            var end = refused < 0 ? text.length() : refused;
            start = encodeUpTo(text, start, end, out);
            if (start < text.length()) {
                var codePoint = text.codePointAt(start);
                out.append("%26%23").append(codePoint).append("%3B");
                start += Character.charCount(codePoint);
            }
        }
        return out.toString();
    }

    /**
     * Encodes until the end or the first character the encoding lacks, and says where that was. The
     * encoder is flushed there, so that a stateful encoding is back in ASCII before the reference.
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
        return start + chars.position();
    }

    private void drain(ByteBuffer bytes, StringBuilder out) {
        bytes.flip();
        while (bytes.hasRemaining()) {
            set.encodeByte(bytes.get() & 0xFF, out);
        }
        bytes.clear();
    }
}
