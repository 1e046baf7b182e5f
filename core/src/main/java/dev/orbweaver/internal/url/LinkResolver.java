package dev.orbweaver.internal.url;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.model.CrawlUrl;

import org.jspecify.annotations.Nullable;

import java.nio.charset.Charset;
import java.util.Optional;

/**
 * Resolves the links of one document against its base URL. Not thread-safe.
 *
 * <p>Nearly all links are simple: ASCII, a path or an ordinary http URL. {@link
 * FastReferenceResolver} resolves them directly from the attribute's bytes and leaves all others to
 * {@link WhatwgUrl}.
 */
public final class LinkResolver {

    private final CrawlUrls urls;
    private final String baseText;
    private @Nullable WhatwgUrl parsedBase;
    private final NormalForm normalForm;
    private final FastReferenceResolver fastResolver;

    /**
     * Creates a resolver for an absolute URL.
     *
     * @throws IllegalArgumentException if the base is not a valid URL
     */
    public LinkResolver(CrawlUrls urls, String baseHref) {
        this(
                urls,
                WhatwgUrl.parse(baseHref)
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "invalid base URL: " + baseHref)));
    }

    public LinkResolver(CrawlUrls urls, WhatwgUrl base) {
        this.urls = urls;
        this.baseText = base.href();
        this.parsedBase = base;
        this.normalForm = urls.normalForm();
        this.fastResolver = new FastReferenceResolver(base, normalForm);
    }

    /** Creates a resolver for a document without a base of its own. */
    public LinkResolver(CrawlUrls urls, CrawlUrl document) {
        this.urls = urls;
        this.baseText = document.text();
        this.normalForm = urls.normalForm();
        this.fastResolver = new FastReferenceResolver(document, normalForm);
    }

    /** Returns how many characters a relative reference makes the resolver copy. */
    public int baseLength() {
        return baseText.length();
    }

    /** Resolves the UTF-8 bytes of an attribute whose entities are already decoded. */
    public Optional<CrawlUrl> resolve(byte[] reference, int start, int end) {
        return switch (fastResolver.resolve(reference, start, end)) {
            case RESOLVED -> Optional.of(fastResolver.url());
            case REJECTED -> Optional.empty();
            case NEEDS_FULL_PARSE ->
                    resolveSlowly(new String(reference, start, end - start, UTF_8), UTF_8);
        };
    }

    public Optional<CrawlUrl> resolve(String reference, Charset documentEncoding) {
        if (!Ascii.isAscii(reference)) {
            return resolveSlowly(reference, documentEncoding);
        }
        var bytes = reference.getBytes(ISO_8859_1);
        return switch (fastResolver.resolve(bytes, 0, bytes.length)) {
            case RESOLVED -> Optional.of(fastResolver.url());
            case REJECTED -> Optional.empty();
            case NEEDS_FULL_PARSE -> resolveSlowly(reference, documentEncoding);
        };
    }

    Optional<CrawlUrl> resolveSlowly(String reference, Charset documentEncoding) {
        return WhatwgUrl.parse(reference, base(), documentEncoding)
                .flatMap(url -> urls.of(url, normalForm));
    }

    /**
     * Returns the base, which is parsed when first needed: most documents have only simple links.
     */
    private WhatwgUrl base() {
        if (parsedBase == null) {
            parsedBase = WhatwgUrl.parse(baseText).orElseThrow();
        }
        return parsedBase;
    }
}
