package dev.orbweaver.internal.parse;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.charset.Charset;

/**
 * A document's bytes as the tokenizer can read them: as they came if its encoding keeps ASCII, else
 * in UTF-8.
 *
 * @param from where the text begins, behind a byte order mark
 */
// Megabytes at times, handed on and never compared.
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
