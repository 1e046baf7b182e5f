package dev.orbweaver.spi;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CrawlUrl;

import java.util.List;
import java.util.Optional;

/**
 * The body of a response, as a {@link Parser} gets it.
 *
 * <pre>{@code
 * var text = new String(document.bytes(), 0, document.length(), StandardCharsets.UTF_8);
 * }</pre>
 *
 * @param url the URL that was requested; references are relative to it
 * @param contentType the value of the Content-Type header field, empty when there is none
 * @param linkHeaders the values of the Link header fields
 * @param bytes an array that starts with the body, content codings undone. It may be longer than
 *     the body, and must not be changed or kept after the call
 * @param length the number of bytes of the body; a body that exceeds {@code max-parse-bytes} is cut
 */
// A body can have megabytes: it is passed on without a copy, and never compared.
@SuppressWarnings("ArrayRecordComponent")
public record Document(
        CrawlUrl url, String contentType, List<String> linkHeaders, byte[] bytes, int length) {

    /** Checks the length. */
    public Document {
        if (length < 0 || length > bytes.length) {
            throw new IllegalArgumentException(length + " of " + bytes.length + " bytes");
        }
        linkHeaders = List.copyOf(linkHeaders);
    }

    /**
     * Resolves a reference, such as the value of an {@code href} attribute, against the URL of the
     * document.
     *
     * @return empty when the result is not an http or https URL
     */
    public Optional<CrawlUrl> resolve(String reference) {
        return new CrawlUrls(Normalisation.DEFAULT).resolve(url, reference);
    }
}
