package dev.orbweaver.internal.fetch;

import dev.orbweaver.model.CrawlUrl;

import java.time.Instant;

/**
 * A cookie and where it may be sent (RFC 6265, section 5.3). {@code toString} does not show it.
 *
 * @param domain a host as it is written in URLs, without a leading dot
 * @param hostOnly whether hosts below the domain do not get it
 * @param secure whether it is sent over https only
 * @param expires {@link Instant#MAX} for a cookie that lasts as long as the crawl
 */
public record Cookie(
        String name,
        String value,
        String domain,
        boolean hostOnly,
        String path,
        boolean secure,
        Instant expires) {

    int chars() {
        return name.length() + value.length() + domain.length() + path.length();
    }

    /** Whether one of both replaces the other (RFC 6265, section 5.3, step 11). */
    boolean hasSameKey(Cookie other) {
        return name.equals(other.name) && domain.equals(other.domain) && path.equals(other.path);
    }

    public boolean isExpired(Instant now) {
        return !now.isBefore(expires);
    }

    /** Whether a request for this URL carries the cookie (RFC 6265, section 5.4, step 1). */
    boolean matches(CrawlUrl url, Instant now) {
        return !isExpired(now)
                && (url.isHttps() || !secure)
                && (hostOnly ? url.host().equals(domain) : isWithinDomain(url.host(), domain))
                && pathMatches(pathOf(url));
    }

    /** RFC 6265, section 5.1.3; the domain of a cookie that is not host-only is no address. */
    static boolean isWithinDomain(String host, String domain) {
        return host.equals(domain) || host.endsWith("." + domain);
    }

    /** RFC 6265, section 5.1.4. */
    private boolean pathMatches(String requested) {
        return requested.startsWith(path)
                && (requested.length() == path.length()
                        || path.endsWith("/")
                        || requested.charAt(path.length()) == '/');
    }

    static String pathOf(CrawlUrl url) {
        var target = url.pathAndQuery();
        var query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    @Override
    public String toString() {
        return "Cookie[withheld]";
    }
}
