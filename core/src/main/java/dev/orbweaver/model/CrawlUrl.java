package dev.orbweaver.model;

/**
 * An http or https URL as it is requested: serialised after the WHATWG URL standard (therefore
 * ASCII), without fragment and without credentials. Immutable.
 *
 * <p>Parsers get instances from {@link dev.orbweaver.spi.Document#resolve}; scopes and filters get
 * them as arguments, and unit tests from {@link dev.orbweaver.Crawler#url}. Do not call the
 * constructor: {@code key} depends on the crawl.
 *
 * @param text the URL as found and requested
 * @param host the host name, an IPv6 address in brackets
 * @param key the fingerprint of the normal form, by which duplicates are found. It is keyed with a
 *     secret of the frontier. The normal form itself is neither requested nor stored
 */
public record CrawlUrl(String text, String host, Fingerprint key) {

    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    public CrawlUrl {
        if (host.isEmpty()) {
            throw new IllegalArgumentException("a crawl URL must have a host: " + text);
        }
        if (!text.startsWith("http://") && !text.startsWith("https://")) {
            throw new IllegalArgumentException("a crawl URL must be http or https: " + text);
        }
    }

    /** Returns a URL that was stored as text; the host is read from the text. */
    public static CrawlUrl fromStored(String text, Fingerprint key) {
        var start = text.indexOf("//") + 2;
        var end = text.indexOf('/', start);
        var colon = text.lastIndexOf(':', end);
        var hasPort = colon > start && colon > text.lastIndexOf(']', end);
        return new CrawlUrl(text, text.substring(start, hasPort ? colon : end), key);
    }

    /** Returns whether the scheme is https. */
    public boolean isHttps() {
        return text.charAt(4) == 's';
    }

    /** Returns {@code host} or {@code host:port}, the value of a Host header field. */
    public String authority() {
        return text.substring(authorityStart(), pathStart());
    }

    /**
     * Returns scheme and authority, such as {@code https://example.com}; one robots.txt file
     * applies to it.
     */
    public String origin() {
        return text.substring(0, pathStart());
    }

    /** Returns the path with its query, the request target; never empty. */
    public String pathAndQuery() {
        return text.substring(pathStart());
    }

    /** Returns the port, the default of the scheme when the URL has none. */
    public int port() {
        var hostEnd = authorityStart() + host.length();
        var pathStart = pathStart();
        if (hostEnd < pathStart) {
            return Integer.parseInt(text, hostEnd + 1, pathStart, 10);
        }
        return isHttps() ? HTTPS_PORT : HTTP_PORT;
    }

    private int authorityStart() {
        return isHttps() ? "https://".length() : "http://".length();
    }

    private int pathStart() {
        return text.indexOf('/', authorityStart());
    }

    @Override
    public String toString() {
        return text;
    }
}
