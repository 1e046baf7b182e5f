package dev.orbweaver.internal.fetch;

import dev.orbweaver.internal.url.RegistrableDomain;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.TextScan;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The cookies of one crawl (RFC 6265), in memory only. They are stored by registrable domain, so a
 * cookie can never be set for a public suffix or be sent to another site; secure ones are sent over
 * https only. The number of sites, the cookies per site and their characters are limited; the
 * oldest are removed first.
 */
final class CookieJar {

    private static final Logger LOG = LoggerFactory.getLogger(CookieJar.class);

    private static final int SITES_MAX = 10_000;
    private static final int PER_SITE_MAX = 50;
    private static final int LENGTH_MAX = 4_096;

    /** Few servers accept a longer request head. */
    private static final int SITE_CHARS_MAX = 16_384;

    /** Total limit: all sites at their own limit would need 160 MB. */
    private static final int CHARS_MAX = 16 << 20;

    private static final Duration LIFETIME_MAX = Duration.ofDays(400);

    /** Common servers refuse a longer header field. */
    private static final int HEADER_MAX = 8_192;

    /** After this many hosts no further warning is logged. */
    private static final int WARNED_HOSTS_MAX = 1_000;

    private final LinkedHashMap<String, List<Cookie>> sites = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * The cookies that the user gave, by site. The limits for those of servers do not apply, so a
     * server cannot displace them by setting many others.
     */
    private final Map<String, List<Cookie>> fileCookies = new HashMap<>();

    private final int headerMax;
    private final Set<String> warnedHosts = new HashSet<>();
    private int chars;

    CookieJar() {
        this(List.of());
    }

    /**
     * Starts with the cookies of a file.
     *
     * @param fileCookies with any, a Cookie header has at most {@link #HEADER_MAX} characters
     */
    CookieJar(List<Cookie> fileCookies) {
        for (var cookie : fileCookies) {
            this.fileCookies
                    .computeIfAbsent(RegistrableDomain.of(cookie.domain()), _ -> new ArrayList<>())
                    .add(cookie);
        }
        this.headerMax = fileCookies.isEmpty() ? Integer.MAX_VALUE : HEADER_MAX;
    }

    /**
     * Returns the Cookie header of a request: the longest paths first, then the oldest cookies (RFC
     * 6265, section 5.4). Leaves out what does not fit, with one warning for each host.
     */
    synchronized Optional<String> header(CrawlUrl url, Instant now) {
        var site = RegistrableDomain.of(url.host());
        var cookies =
                Stream.concat(
                                fileCookies.getOrDefault(site, List.of()).stream(),
                                sites.getOrDefault(site, List.of()).stream())
                        .filter(cookie -> cookie.matches(url, now))
                        .sorted((a, b) -> b.path().length() - a.path().length())
                        .map(cookie -> cookie.name() + "=" + cookie.value())
                        .toList();
        var header = new StringBuilder();
        var omitted = 0;
        for (var pair : cookies) {
            var separator = header.isEmpty() ? "" : "; ";
            if (header.length() + separator.length() + pair.length() > headerMax) {
                omitted++;
            } else {
                header.append(separator).append(pair);
            }
        }
        if (omitted > 0) {
            warnOnce(url.host(), omitted, cookies.size());
        }
        return header.isEmpty() ? Optional.empty() : Optional.of(header.toString());
    }

    private void warnOnce(String host, int omitted, int all) {
        if (warnedHosts.size() < WARNED_HOSTS_MAX && warnedHosts.add(host)) {
            LOG.warn(
                    "{} of {} cookies are not sent to {}: a Cookie header has at most {}"
                            + " characters",
                    omitted,
                    all,
                    host,
                    HEADER_MAX);
        }
    }

    synchronized void store(CrawlUrl url, List<String> fields, Instant now) {
        for (var field : fields) {
            parse(url, field, now).ifPresent(cookie -> put(url, cookie, now));
        }
    }

    private void put(CrawlUrl url, Cookie cookie, Instant now) {
        var site = RegistrableDomain.of(url.host());
        var ofFile = fileCookies.getOrDefault(site, new ArrayList<>());
        var cookies = sites.computeIfAbsent(site, _ -> new ArrayList<>());
        if (!url.isHttps()
                && Stream.concat(ofFile.stream(), cookies.stream())
                        .anyMatch(old -> old.secure() && old.hasSameKey(cookie))) {
            return; // RFC 6265bis, section 5.7: what came over TLS is not changed without it.
        }
        ofFile.removeIf(cookie::hasSameKey);
        chars -= chars(cookies);
        cookies.removeIf(old -> old.hasSameKey(cookie) || old.isExpired(now));
        if (!cookie.isExpired(now)) {
            cookies.add(cookie);
        }
        Iterator<Cookie> oldest = cookies.iterator();
        while (cookies.size() > PER_SITE_MAX || chars(cookies) > SITE_CHARS_MAX) {
            oldest.next();
            oldest.remove();
        }
        chars += chars(cookies);
        while (sites.size() > SITES_MAX || chars > CHARS_MAX) {
            chars -= chars(sites.pollFirstEntry().getValue());
        }
    }

    private static int chars(List<Cookie> cookies) {
        return cookies.stream().mapToInt(Cookie::chars).sum();
    }

    private static Optional<Cookie> parse(CrawlUrl url, String field, Instant now) {
        var parts = field.split(";", -1);
        var equals = parts[0].indexOf('=');
        var name = equals < 0 ? "" : parts[0].substring(0, equals).strip();
        var value = parts[0].substring(equals + 1).strip();
        if (name.isEmpty() || field.length() > LENGTH_MAX || !isSendable(name + value)) {
            return Optional.empty();
        }
        var attributes = attributes(parts);
        var domain = attributes.getOrDefault("domain", "");
        var requested = domain.startsWith(".") ? domain.substring(1) : domain;
        var secure = attributes.containsKey("secure");
        if (!requested.isEmpty() && !domainMatches(url.host(), requested)) {
            return Optional.empty();
        }
        if ((secure && !url.isHttps()) || !hasValidPrefix(name, secure, requested, attributes)) {
            return Optional.empty();
        }
        var path = attributes.getOrDefault("path", "");
        return Optional.of(
                new Cookie(
                        name,
                        value,
                        requested.isEmpty() ? url.host() : requested,
                        requested.isEmpty(),
                        path.startsWith("/") ? path : defaultPath(url),
                        secure,
                        expires(attributes, now)));
    }

    /** Returns whether the text contains no character that could end the line or the cookie. */
    private static boolean isSendable(String text) {
        return text.chars().allMatch(c -> c > ' ' && c < 127 && c != ';' && c != ',');
    }

    private static Map<String, String> attributes(String[] parts) {
        var attributes = new LinkedHashMap<String, String>();
        for (var i = 1; i < parts.length; i++) {
            var equals = parts[i].indexOf('=');
            var name = equals < 0 ? parts[i] : parts[i].substring(0, equals);
            var value = equals < 0 ? "" : parts[i].substring(equals + 1).strip();
            attributes.put(
                    name.strip().toLowerCase(Locale.ROOT),
                    name.strip().equalsIgnoreCase("domain")
                            ? value.toLowerCase(Locale.ROOT)
                            : value);
        }
        return attributes;
    }

    /**
     * Returns whether a host may set a cookie for a domain: itself or a parent within its
     * registrable domain.
     */
    private static boolean domainMatches(String host, String domain) {
        return Cookie.isWithinDomain(host, domain)
                && Cookie.isWithinDomain(domain, RegistrableDomain.of(host));
    }

    /** RFC 6265bis, section 4.1.3. */
    private static boolean hasValidPrefix(
            String name, boolean secure, String domain, Map<String, String> attributes) {
        if (name.startsWith("__Host-")) {
            return secure && domain.isEmpty() && "/".equals(attributes.get("path"));
        }
        return !name.startsWith("__Secure-") || secure;
    }

    private static Instant expires(Map<String, String> attributes, Instant now) {
        var latest = now.plus(LIFETIME_MAX);
        var maxAge = attributes.getOrDefault("max-age", "");
        if (TextScan.isNumber(maxAge.startsWith("-") ? maxAge.substring(1) : maxAge, 9)) {
            var lifetime = Duration.ofSeconds(Long.parseLong(maxAge));
            return lifetime.isPositive() ? earlier(now.plus(lifetime), latest) : Instant.MIN;
        }
        return Optional.ofNullable(attributes.get("expires"))
                .flatMap(CookieJar::date)
                .map(date -> earlier(date, latest))
                .orElse(latest);
    }

    private static Optional<Instant> date(String text) {
        try {
            var plain = text.replace('-', ' ');
            return Optional.of(
                    ZonedDateTime.parse(plain, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant());
        } catch (DateTimeException unreadable) {
            return Optional.empty();
        }
    }

    private static Instant earlier(Instant a, Instant b) {
        return a.isBefore(b) ? a : b;
    }

    /** RFC 6265, section 5.1.4: the folder of the page that set it. */
    private static String defaultPath(CrawlUrl url) {
        var path = Cookie.pathOf(url);
        var slash = path.lastIndexOf('/');
        return slash <= 0 ? "/" : path.substring(0, slash);
    }
}
