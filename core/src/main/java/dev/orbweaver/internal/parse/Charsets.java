package dev.orbweaver.internal.parse;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Determines the encoding of a document (HTML standard, 13.2.3) from byte order mark, header,
 * declaration and content.
 */
final class Charsets {

    private static final int PRESCAN_BYTES = 1024;
    private static final int HEAD_BYTES_MAX = 65_536;

    private Charsets() {}

    static Encoding of(byte[] bytes, int length, String contentType) {
        return declared(bytes, length, contentType)
                .orElseGet(
                        () ->
                                Utf8.isValid(bytes, 0, length)
                                        ? Encoding.UTF_8
                                        : CharsetDetection.detect(bytes, length));
    }

    static Optional<Encoding> declared(byte[] bytes, int length, String contentType) {
        return fromBom(bytes, length)
                .or(() -> ContentType.charset(contentType).flatMap(Encoding::forLabel))
                .or(() -> MetaPrescan.of(bytes, Math.min(length, PRESCAN_BYTES)))
                .or(() -> fromHead(bytes, length));
    }

    /** Returns the length of this encoding's byte order mark, if the document has one. */
    static int bomLength(byte[] bytes, int length, Encoding encoding) {
        var marked = fromBom(bytes, length).filter(encoding::equals).isPresent();
        if (!marked) {
            return 0;
        }
        return encoding.isUtf16() ? 2 : 3;
    }

    private static Optional<Encoding> fromBom(byte[] bytes, int length) {
        var first = length > 1 ? (bytes[0] & 0xFF) << 8 | (bytes[1] & 0xFF) : 0;
        return switch (first) {
            case 0xFEFF -> Optional.of(Encoding.UTF_16BE);
            case 0xFFFE -> Optional.of(Encoding.UTF_16LE);
            case 0xEFBB ->
                    length > 2 && (bytes[2] & 0xFF) == 0xBF
                            ? Optional.of(Encoding.UTF_8)
                            : Optional.empty();
            default -> Optional.empty();
        };
    }

    /**
     * Returns the encoding that a {@code <meta>} declares after the first kilobyte but within the
     * head, as in browsers (13.2.3.4).
     */
    private static Optional<Encoding> fromHead(byte[] bytes, int length) {
        if (length <= PRESCAN_BYTES) {
            return Optional.empty();
        }
        var tokenizer = new HtmlTokenizer(bytes, 0, Math.min(length, HEAD_BYTES_MAX));
        var elements = new OpenElements(tokenizer, false);
        while (true) {
            var token = tokenizer.next();
            if (hasText(bytes, tokenizer)) {
                return Optional.empty();
            }
            switch (token) {
                case START_TAG -> {
                    var tag = Tag.of(bytes, tokenizer.start(), tokenizer.stop());
                    if (!tag.belongsInHead()) {
                        return Optional.empty();
                    }
                    if (elements.onStartTag(tag) == OpenElements.Namespace.HTML
                            && tag == Tag.META) {
                        var encoding = MetaCharset.of(attributes(bytes, tokenizer));
                        if (encoding.isPresent()) {
                            return encoding;
                        }
                    }
                }
                case END_TAG -> {
                    if (Tag.of(bytes, tokenizer.start(), tokenizer.stop()) == Tag.HEAD) {
                        return Optional.empty();
                    }
                }
                case END -> {
                    return Optional.empty();
                }
                case COMMENT, DOCTYPE, CDATA, NOTHING -> {
                    // These may be anywhere in a head.
                }
            }
        }
    }

    private static boolean hasText(byte[] bytes, HtmlTokenizer tokenizer) {
        if (tokenizer.textContent() != HtmlTokenizer.Content.DATA) {
            return false;
        }
        for (var at = tokenizer.textStart(); at < tokenizer.textEnd(); at++) {
            if (!ByteScan.isSpace(bytes[at])) {
                return true;
            }
        }
        return false;
    }

    private static Map<String, String> attributes(byte[] bytes, HtmlTokenizer tokenizer) {
        var attributes = new HashMap<String, String>();
        for (var i = 0; i < tokenizer.attributeCount(); i++) {
            attributes.putIfAbsent(
                    lower(bytes, tokenizer.attributeNameStart(i), tokenizer.attributeNameEnd(i)),
                    lower(bytes, tokenizer.valueStart(i), tokenizer.valueEnd(i)));
        }
        return attributes;
    }

    private static String lower(byte[] bytes, int start, int end) {
        return new String(bytes, start, end - start, StandardCharsets.ISO_8859_1)
                .toLowerCase(Locale.ROOT);
    }
}
