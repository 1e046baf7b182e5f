package dev.orbweaver.model;

/**
 * An http or https URL as it will be requested: WHATWG-serialised (so pure ASCII), without fragment
 * and without credentials.
 *
 * <p>{@code text} is the URL as found and fetched. {@code key} is the fingerprint of its normal
 * form, in which equal pages are equal, under the secret of the frontier that the URL is meant for;
 * the normal form itself is never fetched and never kept. Only the {@code url} package makes these.
 */
public record CrawlUrl(String text, String host, Fingerprint key) {

    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    public CrawlUrl {
        if (host.isEmpty()) {
            throw new IllegalArgumentException("a crawl URL needs a host: " + text);
        }
        if (!text.startsWith("http://") && !text.startsWith("https://")) {
            throw new IllegalArgumentException("a crawl URL is http or https: " + text);
        }
    }

    /** Reads the host from the text. */
    public static CrawlUrl fromStored(String text, Fingerprint key) {
        var start = text.indexOf("//") + 2;
        var end = text.indexOf('/', start);
        var colon = text.lastIndexOf(':', end);
        var hasPort = colon > start && colon > text.lastIndexOf(']', end);
        return new CrawlUrl(text, text.substring(start, hasPort ? colon : end), key);
    }

    public boolean isHttps() {
        return text.charAt(4) == 's';
    }

    /** {@code host} or {@code host:port}, as a Host header wants it. */
    public String authority() {
        return text.substring(authorityStart(), pathStart());
    }

    /** Scheme and authority: what one robots.txt speaks for. */
    public String origin() {
        return text.substring(0, pathStart());
    }

    /** The path with its query, never empty: the request target. */
    public String pathAndQuery() {
        return text.substring(pathStart());
    }

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
