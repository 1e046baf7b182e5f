package dev.orbweaver.url;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.model.CrawlUrl;

import java.util.Optional;

/**
 * Makes the URLs of a crawl from text: http or https only, without credentials and fragment, within
 * limits, with the key that this crawl's {@link Normalisation} gives them. Safe for any thread.
 */
public final class CrawlUrls {

    /** The longest URL that is crawled, in characters; what is longer is a trap or a mistake. */
    public static final int LENGTH_MAX = 8192;

    /**
     * The longest base URL that references are resolved against, in characters: every relative
     * reference is made of a copy of it, and one that is longer makes no URL that is crawled.
     */
    public static final int BASE_LENGTH_MAX = LENGTH_MAX;

    /** The longest host name that DNS can carry (RFC 1035 section 2.3.4). */
    public static final int HOST_LENGTH_MAX = 255;

    private final Normalisation normalisation;

    /** URLs that are equal when this normalisation finds them so. */
    public CrawlUrls(Normalisation normalisation) {
        this.normalisation = normalisation;
    }

    /** An absolute URL. */
    public Optional<CrawlUrl> parse(String text) {
        return WhatwgUrl.parse(text).flatMap(this::of);
    }

    /** A reference, as in a Location header, seen from the URL it was found at. */
    public Optional<CrawlUrl> resolve(CrawlUrl base, String reference) {
        return WhatwgUrl.parse(base.text())
                .flatMap(parsed -> WhatwgUrl.parse(reference, parsed))
                .flatMap(this::of);
    }

    /** The URL as one of the crawl, unless its scheme or its length forbid it. */
    public Optional<CrawlUrl> of(WhatwgUrl url) {
        return of(url, normalForm());
    }

    Optional<CrawlUrl> of(WhatwgUrl url, NormalForm normalForm) {
        var host = url.hostOrNull();
        if (!url.isHttp() || host == null || host.length() > HOST_LENGTH_MAX) {
            return Optional.empty();
        }
        var text = url.requestText();
        if (text.length() > LENGTH_MAX) {
            return Optional.empty();
        }
        var key = normalForm.fingerprint(text.getBytes(ISO_8859_1), pathStart(text), text.length());
        return Optional.of(new CrawlUrl(text, host, key));
    }

    /** The normal form whose fingerprint is the URL's key; for explaining, not for fetching. */
    public String normalForm(CrawlUrl url) {
        var text = url.text();
        return normalForm().of(text.getBytes(ISO_8859_1), pathStart(text), text.length());
    }

    NormalForm normalForm() {
        return new NormalForm(normalisation);
    }

    static int pathStart(String httpUrl) {
        return httpUrl.indexOf('/', httpUrl.indexOf("://") + 3);
    }
}
