package dev.orbweaver.internal.parse;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.parse.CharacterReferences.TextContext;
import dev.orbweaver.internal.url.LinkResolver;
import dev.orbweaver.model.CrawlUrl;

import java.nio.charset.Charset;
import java.util.Optional;

/**
 * Decodes the text of one page on demand.
 *
 * <p>Nearly every link is plain ASCII and is passed to the resolver as the bytes of the page. One
 * with character references is decoded into a reused buffer. Only a link with other characters in
 * an encoding other than UTF-8 becomes a string, because the encoding then decides how the query is
 * escaped (URL standard, 4.4 "query state").
 */
final class PageText {

    private final byte[] bytes;
    private final Charset charset;
    private final Charset queryCharset;
    private final Utf8Buffer decoded = new Utf8Buffer();

    /**
     * Creates a decoder for one page.
     *
     * @param charset the charset of the bytes
     * @param queryCharset the charset of the page before it was converted
     */
    PageText(byte[] bytes, Charset charset, Charset queryCharset) {
        this.bytes = bytes;
        this.charset = charset;
        this.queryCharset = queryCharset;
    }

    Charset charset() {
        return charset;
    }

    Optional<CrawlUrl> resolve(int start, int end, LinkResolver resolver) {
        if (isPlain(start, end)) {
            return resolver.resolve(bytes, start, end);
        }
        decode(start, end, TextContext.ATTRIBUTE);
        if (queryCharset.equals(UTF_8)) {
            return resolver.resolve(decoded.array(), 0, decoded.length());
        }
        return resolver.resolve(decoded.toString(), queryCharset);
    }

    Optional<CrawlUrl> resolve(String reference, LinkResolver resolver) {
        return resolver.resolve(reference, queryCharset);
    }

    String attribute(int start, int end) {
        return text(start, end, TextContext.ATTRIBUTE);
    }

    String text(int start, int end, TextContext textContext) {
        decode(start, end, textContext);
        return decoded.toString();
    }

    private void decode(int start, int end, TextContext textContext) {
        decoded.clear();
        if (charset.equals(UTF_8) || ByteScan.indexOfNonAscii(bytes, start, end) == end) {
            CharacterReferences.decode(bytes, start, end, textContext, decoded);
        } else {
            var utf8 = new String(bytes, start, end - start, charset).getBytes(UTF_8);
            CharacterReferences.decode(utf8, 0, utf8.length, textContext, decoded);
        }
    }

    /**
     * Returns whether the text is literal ASCII. Line breaks are included: the URL parser drops
     * them in either form.
     */
    private boolean isPlain(int start, int end) {
        return !ByteScan.hasReferenceOrNonAscii(bytes, start, end);
    }
}
