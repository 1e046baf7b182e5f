package dev.orbweaver.config;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.url.CrawlUrls;

import java.util.Locale;
import java.util.Optional;

/**
 * A URL to begin at.
 *
 * @param schemeGuessed it was given without a scheme: https is tried first, then http
 */
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

    /**
     * A word before the first slash that is a name with a dot, an address, or localhost, with or
     * without a port.
     */
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
