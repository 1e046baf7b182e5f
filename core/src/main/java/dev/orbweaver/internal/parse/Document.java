package dev.orbweaver.internal.parse;

import dev.orbweaver.model.CrawlUrl;

import java.util.List;

/**
 * A fetched body with what is needed to read it.
 *
 * @param url where it was found, after redirects
 * @param contentType the Content-Type header, empty where there was none
 * @param linkHeaders the values of its Link headers
 * @param bytes decompressed; not to be changed while it is parsed
 */
// A body is megabytes at times: it is handed on, not copied, and never compared.
@SuppressWarnings("ArrayRecordComponent")
public record Document(
        CrawlUrl url, String contentType, List<String> linkHeaders, byte[] bytes, int length) {

    public Document {
        if (length < 0 || length > bytes.length) {
            throw new IllegalArgumentException(length + " of " + bytes.length + " bytes");
        }
        linkHeaders = List.copyOf(linkHeaders);
    }
}
