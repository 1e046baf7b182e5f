package dev.orbweaver.internal.fetch;

import dev.orbweaver.internal.url.RegistrableDomain;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.TextScan;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The cookies of one crawl (RFC 6265), in memory only. They are kept by registrable domain, so a
 * cookie can never be set for a public suffix nor leave the site that set it, and secure ones go
 * over https only. The sites, the cookies of a site and the characters of both are limited; the
 * oldest are dropped first.
 */
final class CookieJar {

    private static final int SITES_MAX = 10_000;
    private static final int PER_SITE_MAX = 50;
    private static final int LENGTH_MAX = 4_096;

    /** Few servers accept a longer request head. */
    private static final int SITE_CHARS_MAX = 16_384;

    /** Sites times characters of a site would be 160 MB. */
    private static final int CHARS_MAX = 16 << 20;

    private static final Duration LIFETIME_MAX = Duration.ofDays(400);

    private record Cookie(
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

        boolean hasSameKey(Cookie other) {
            return name.equals(other.name)
                    && domain.equals(other.domain)
                    && path.equals(other.path);
        }

        boolean matches(CrawlUrl url, Instant now) {
            return now.isBefore(expires)
                    && (url.isHttps() || !secure)
                    && (hostOnly ? url.host().equals(domain) : isWithinDomain(url.host(), domain))
                    && pathMatches(pathOf(url));
        }

        /** RFC 6265, section 5.1.4. */
        private boolean pathMatches(String requested) {
            return requested.startsWith(path)
                    && (requested.length() == path.length()
                            || path.endsWith("/")
                            || requested.charAt(path.length()) == '/');
        }
    }

    private final LinkedHashMap<String, List<Cookie>> sites = new LinkedHashMap<>(16, 0.75f, true);

    private int chars;

    /** What to send with a request: the longest paths first (RFC 6265, section 5.4). */
    synchronized Optional<String> header(CrawlUrl url, Instant now) {
        var cookies = sites.getOrDefault(RegistrableDomain.of(url.host()), List.of());
        var header =
                cookies.stream()
                        .filter(cookie -> cookie.matches(url, now))
                        .sorted((a, b) -> b.path().length() - a.path().length())
                        .map(cookie -> cookie.name() + "=" + cookie.value())
                        .collect(Collectors.joining("; "));
        return header.isEmpty() ? Optional.empty() : Optional.of(header);
    }

    synchronized void store(CrawlUrl url, List<String> fields, Instant now) {
        for (var field : fields) {
            parse(url, field, now).ifPresent(cookie -> put(url, cookie, now));
        }
    }

    private void put(CrawlUrl url, Cookie cookie, Instant now) {
        var cookies =
                sites.computeIfAbsent(RegistrableDomain.of(url.host()), _ -> new ArrayList<>());
        if (!url.isHttps()
                && cookies.stream().anyMatch(old -> old.secure() && old.hasSameKey(cookie))) {
            return; // RFC 6265bis, section 5.7: what came over TLS is not changed without it.
        }
        chars -= chars(cookies);
        cookies.removeIf(old -> old.hasSameKey(cookie) || !now.isBefore(old.expires()));
        if (now.isBefore(cookie.expires())) {
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
        var asked = domain.startsWith(".") ? domain.substring(1) : domain;
        var secure = attributes.containsKey("secure");
        if (!asked.isEmpty() && !domainMatches(url.host(), asked)) {
            return Optional.empty();
        }
        if ((secure && !url.isHttps()) || !hasValidPrefix(name, secure, asked, attributes)) {
            return Optional.empty();
        }
        var path = attributes.getOrDefault("path", "");
        return Optional.of(
                new Cookie(
                        name,
                        value,
                        asked.isEmpty() ? url.host() : asked,
                        asked.isEmpty(),
                        path.startsWith("/") ? path : defaultPath(url),
                        secure,
                        expires(attributes, now)));
    }

    /** Nothing that could end the line or the cookie in a later request. */
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

    /** A host may speak for itself and for what lies between it and its registrable domain. */
    private static boolean domainMatches(String host, String domain) {
        return isWithinDomain(host, domain) && isWithinDomain(domain, RegistrableDomain.of(host));
    }

    private static boolean isWithinDomain(String host, String domain) {
        return host.equals(domain) || host.endsWith("." + domain);
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
            var life = Duration.ofSeconds(Long.parseLong(maxAge));
            return life.isPositive() ? earlier(now.plus(life), latest) : Instant.MIN;
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

    private static String pathOf(CrawlUrl url) {
        var target = url.pathAndQuery();
        var query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    /** RFC 6265, section 5.1.4: the folder of the page that set it. */
    private static String defaultPath(CrawlUrl url) {
        var path = pathOf(url);
        var slash = path.lastIndexOf('/');
        return slash <= 0 ? "/" : path.substring(0, slash);
    }
}
