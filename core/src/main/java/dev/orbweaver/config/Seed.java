package dev.orbweaver.config;

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

/** {@code schemeGuessed} if it was given without a scheme: https is tried first, then http. */
public record Seed(CrawlUrl url, boolean schemeGuessed) {

    /** Understands what people type: a whole URL, or a host with perhaps a port and a path. */
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

    /** Whether a text holds a user name or password, which would be stored and shown with it. */
    public static boolean hasCredentials(String text) {
        var whole = text.strip();
        var place = whole.replaceFirst("^(?i:https?):[/\\\\]*", "");
        var authority = place.substring(0, endOfAuthority(place));
        var at = authority.lastIndexOf('@');
        // Without a scheme, a name and an @ may be no more than an e-mail address.
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

    /** Its origins if it is itself an address or localhost; a seed without a scheme has two. */
    Set<String> literalOrigins() {
        if (!isLiteral()) {
            return Set.of();
        }
        return schemeGuessed
                ? Set.of(url.origin(), withHttp(url.authority()))
                : Set.of(url.origin());
    }

    /** The origins of seeds that are addresses or localhost, which are permitted by being named. */
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

    /** A name with a dot, an address or localhost before the first slash, perhaps with a port. */
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
