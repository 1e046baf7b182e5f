package dev.orbweaver.internal.parse;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.spi.Document;

import java.nio.charset.Charset;

/**
 * The bytes of a document for the tokenizer: unchanged if its encoding is ASCII-compatible,
 * otherwise converted to UTF-8.
 *
 * @param from the start of the text, after a byte order mark
 */
// Sometimes megabytes, passed on and never compared.
@SuppressWarnings("ArrayRecordComponent")
record MarkupBytes(byte[] bytes, int from, int end, Charset charset) {

    static MarkupBytes of(Document document, Encoding encoding) {
        var bytes = document.bytes();
        var from = Charsets.bomLength(bytes, document.length(), encoding);
        if (encoding.isAsciiCompatible()) {
            return new MarkupBytes(bytes, from, document.length(), encoding.charset());
        }
        var utf8 =
                new String(bytes, from, document.length() - from, encoding.charset())
                        .getBytes(UTF_8);
        return new MarkupBytes(utf8, 0, utf8.length, UTF_8);
    }
}
