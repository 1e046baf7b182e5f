package dev.orbweaver.internal.config;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CrawlUrl;

import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A URL at which a crawl starts.
 *
 * @param schemeGuessed whether it was given without a scheme; https is tried first, then http
 */
public record Seed(CrawlUrl url, boolean schemeGuessed) {

    private static final int PORT_MAX = 65_535;

    /** Parses a URL, or a host with an optional port and path. */
    public static Optional<Seed> read(String text, CrawlUrls urls) {
        var trimmed = text.strip();
        var lower = trimmed.toLowerCase(Locale.ROOT);
        if (lower.startsWith("http://") || lower.startsWith("https://")) {
            return urls.parse(trimmed).map(url -> new Seed(url, false));
        }
        return looksLikeHost(trimmed)
                ? urls.parse("https://" + trimmed).map(url -> new Seed(url, true))
                : Optional.empty();
    }

    /** Returns why a text is not a seed, as a sentence that begins with it. */
    public static String problem(String text) {
        var place = text.strip().replaceFirst("^(?i:https?)://", "");
        var authority = place.substring(0, endOfAuthority(place));
        var port = authority.substring(authority.lastIndexOf(':') + 1);
        var isPort = port.length() < authority.length() && port.matches("\\d{5,}");
        return CheckedValues.quote(text)
                + (isPort
                        ? " has the port %s; the highest is %d".formatted(port, PORT_MAX)
                        : " is not an http or https URL");
    }

    /** Whether a URL contains a user name or password, which would be stored and displayed. */
    public static boolean hasCredentials(String text) {
        var whole = text.strip();
        var place = whole.replaceFirst("^(?i:https?):[/\\\\]*", "");
        var authority = place.substring(0, endOfAuthority(place));
        var at = authority.lastIndexOf('@');
        // Without a scheme, a name followed by @ may be an e-mail address.
        return at >= 0
                && (place.length() < whole.length()
                        || (authority.substring(0, at).contains(":")
                                && !authority.startsWith("mailto:")));
    }

    private static int endOfAuthority(String place) {
        for (var i = 0; i < place.length(); i++) {
            if ("/\\?#".indexOf(place.charAt(i)) >= 0) {
                return i;
            }
        }
        return place.length();
    }

    /** Returns the origins of a seed on an address or localhost; two if it has no scheme. */
    Set<String> literalOrigins() {
        if (!isLiteral()) {
            return Set.of();
        }
        return schemeGuessed
                ? Set.of(url.origin(), withHttp(url.authority()))
                : Set.of(url.origin());
    }

    /** Returns the origins of seeds that are addresses or localhost; naming them allows them. */
    public static Set<String> literalOrigins(List<String> seeds) {
        var urls = new CrawlUrls(Normalisation.DEFAULT);
        return seeds.stream()
                .flatMap(text -> read(text, urls).stream())
                .flatMap(seed -> seed.literalOrigins().stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    public Optional<InetAddress> address() {
        return isLiteral() && !url.host().equals("localhost")
                ? Optional.of(InetAddress.ofLiteral(url.host().replaceAll("^\\[|]$", "")))
                : Optional.empty();
    }

    private boolean isLiteral() {
        var host = url.host();
        var last = host.charAt(host.length() - 1);
        return host.equals("localhost") || host.startsWith("[") || (last >= '0' && last <= '9');
    }

    private static String withHttp(String authority) {
        return new CrawlUrls(Normalisation.DEFAULT)
                .parse("http://" + authority + "/")
                .map(CrawlUrl::origin)
                .orElseThrow();
    }

    /** Whether the part before the first slash is a dotted name, an address or localhost. */
    private static boolean looksLikeHost(String text) {
        var slash = text.indexOf('/');
        var place = slash < 0 ? text : text.substring(0, slash);
        var host = place.replaceFirst(":\\d+$", "");
        return !host.isEmpty()
                && !host.startsWith(".")
                && !host.contains("@")
                && (host.contains(".")
                        || host.equalsIgnoreCase("localhost")
                        || host.startsWith("["))
                && (host.startsWith("[") || host.indexOf(':') < 0)
                && host.chars().noneMatch(Character::isWhitespace);
    }
}
