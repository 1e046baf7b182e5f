package dev.orbweaver.internal.url;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;

import java.util.Optional;

/**
 * Creates the URLs of a crawl from text: http or https only, without credentials and fragment,
 * within limits. Their fingerprint depends on the crawl's {@link Normalisation} and {@link
 * FingerprintKey}. Thread-safe.
 */
public final class CrawlUrls {

    /** Maximum length of a URL in characters; longer ones are traps or mistakes. */
    public static final int LENGTH_MAX = 8192;

    /** Maximum length of a base URL in characters: every relative reference copies it. */
    public static final int BASE_LENGTH_MAX = LENGTH_MAX;

    /** Maximum length of a host name in DNS (RFC 1035 section 2.3.4). */
    public static final int HOST_LENGTH_MAX = 255;

    private final Normalisation normalisation;
    private final FingerprintKey key;

    /**
     * Creates URLs with fingerprints under the public key, which may be compared only with each
     * other.
     */
    public CrawlUrls(Normalisation normalisation) {
        this(normalisation, FingerprintKey.PUBLIC);
    }

    public CrawlUrls(Normalisation normalisation, FingerprintKey key) {
        this.normalisation = normalisation;
        this.key = key;
    }

    public Normalisation normalisation() {
        return normalisation;
    }

    public FingerprintKey key() {
        return key;
    }

    /** Returns the same URL with its fingerprint under this key. */
    public CrawlUrl rekeyed(CrawlUrl url) {
        return new CrawlUrl(url.text(), url.host(), fingerprint(url.text(), normalForm()));
    }

    public Optional<CrawlUrl> parse(String text) {
        return WhatwgUrl.parse(text).flatMap(this::of);
    }

    /** Resolves a reference, as in a Location header, against the URL where it was found. */
    public Optional<CrawlUrl> resolve(CrawlUrl base, String reference) {
        return WhatwgUrl.parse(base.text())
                .flatMap(parsed -> WhatwgUrl.parse(reference, parsed))
                .flatMap(this::of);
    }

    /** Converts a URL to one of the crawl; empty if its scheme or length is not accepted. */
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
        return Optional.of(new CrawlUrl(text, host, fingerprint(text, normalForm)));
    }

    private static Fingerprint fingerprint(String text, NormalForm normalForm) {
        return normalForm.fingerprint(text.getBytes(ISO_8859_1), pathStart(text), text.length());
    }

    /**
     * Returns the normal form whose fingerprint is the URL's key; for explanations, not for
     * fetching.
     */
    public String normalForm(CrawlUrl url) {
        var text = url.text();
        return normalForm().of(text.getBytes(ISO_8859_1), pathStart(text), text.length());
    }

    NormalForm normalForm() {
        return new NormalForm(normalisation, key);
    }

    static int pathStart(String httpUrl) {
        return httpUrl.indexOf('/', httpUrl.indexOf("://") + 3);
    }
}
