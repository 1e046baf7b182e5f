package dev.orbweaver.internal.fetch;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Validators;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Writes request heads. All parts were validated as ASCII without line breaks. */
final class RequestHeadWriter {

    private static final String WITHHELD = "(withheld)";

    private final RequestOptions requestOptions;
    private final Optional<CookieJar> cookies;
    private final String common;

    RequestHeadWriter(FetchSettings settings, Optional<CookieJar> cookies) {
        this.requestOptions = settings.requestOptions();
        this.cookies = cookies;
        this.common =
                "\r\nUser-Agent: "
                        + settings.userAgent()
                        + "\r\nAccept:"
                        + " text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
                        + "Accept-Encoding: "
                        + ContentCoding.acceptEncoding()
                        + "\r\n";
    }

    /**
     * A request head.
     *
     * @param recorded the head without secrets, for the archive
     */
    @SuppressWarnings("ArrayRecordComponent") // Heads are never compared.
    record Head(byte[] sent, byte[] recorded) {}

    Head write(CrawlUrl url, Validators validators, Instant now) {
        var open =
                new StringBuilder("GET ").append(url.pathAndQuery()).append(" HTTP/1.1\r\nHost: ");
        open.append(url.authority()).append(common);
        if (!validators.etag().isEmpty()) {
            field(open, "If-None-Match", validators.etag());
        }
        if (!validators.lastModified().isEmpty()) {
            field(open, "If-Modified-Since", validators.lastModified());
        }
        var headers = requestOptions.headers().getOrDefault(url.host(), List.of());
        var credential = Optional.ofNullable(requestOptions.credentials().get(url.origin()));
        var cookie = cookies.flatMap(jar -> jar.header(url, now));
        if (headers.isEmpty() && credential.isEmpty() && cookie.isEmpty()) {
            var bytes = bytes(open);
            return new Head(bytes, bytes);
        }
        var recorded = new StringBuilder(open);
        // Any of these headers may be a secret, so none is archived.
        headers.forEach(header -> field(open, header.name(), header.value()));
        headers.forEach(header -> field(recorded, header.name(), WITHHELD));
        credential.ifPresent(c -> field(open, "Authorization", c.authorization()));
        credential.ifPresent(_ -> field(recorded, "Authorization", WITHHELD));
        cookie.ifPresent(value -> field(open, "Cookie", value));
        cookie.ifPresent(_ -> field(recorded, "Cookie", WITHHELD));
        return new Head(bytes(open), bytes(recorded));
    }

    private static void field(StringBuilder out, String name, String value) {
        out.append(name).append(": ").append(value).append("\r\n");
    }

    private static byte[] bytes(StringBuilder head) {
        return (head + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
    }
}
