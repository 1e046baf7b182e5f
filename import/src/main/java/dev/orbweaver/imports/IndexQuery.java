package dev.orbweaver.imports;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CrawlUrl;

import java.io.IOException;
import java.net.URLEncoder;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * A query to a CDX server.
 *
 * @param pattern a domain with all its subdomains, or a URL pattern as the server defines it:
 *     {@code example.org/docs/*} or {@code *.example.org}
 */
record IndexQuery(CrawlUrls urls, String pattern) {

    /** Captures of the same page are neighbours; scheme and host variants lie between them. */
    private static final int RECENT_MAX = 1_000;

    /** Returns the parameters of the query, for every request of it. */
    String parameters() {
        var query = "url=" + encode(pattern) + "&output=json";
        return isDomain() ? query + "&matchType=domain" : query;
    }

    /** A name without path and wildcard. */
    private boolean isDomain() {
        return pattern.indexOf('/') < 0 && pattern.indexOf('*') < 0;
    }

    CrawlUrl url(CrawlUrl endpoint, String parameters) throws SourceException {
        var separator = endpoint.text().indexOf('?') < 0 ? "?" : "&";
        return urls.parse(endpoint.text() + separator + parameters)
                .orElseThrow(() -> new SourceException("'" + pattern + "' is too long a pattern"));
    }

    static String encode(String text) {
        return URLEncoder.encode(text, UTF_8);
    }

    /** Drops URLs that were passed on recently. */
    static final class Recent {

        private final Set<String> urls = new LinkedHashSet<>();

        boolean isNew(String url) {
            if (!urls.add(url)) {
                return false;
            }
            if (urls.size() > RECENT_MAX) {
                urls.remove(urls.iterator().next());
            }
            return true;
        }
    }

    /** Returns what a server sent instead of data, for a message. */
    static String unexpected(SourceResponse response) throws IOException {
        var what =
                response.body().length() == 0
                        ? "an empty response"
                        : response.looksLikeHtml()
                                ? "an HTML page instead of JSON"
                                : "a response that is not the expected JSON";
        return response.status() == 200 ? what : what + " (status %d)".formatted(response.status());
    }
}
