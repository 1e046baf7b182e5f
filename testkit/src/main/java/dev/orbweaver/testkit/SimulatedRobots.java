package dev.orbweaver.testkit;

import java.util.List;
import java.util.Locale;

/**
 * A robots.txt for the product token {@code orbweaver}: the served text, and its rules, which are
 * declared separately and not parsed from the text.
 */
enum SimulatedRobots {
    NOT_FOUND(404, "", List.of()),
    /** RFC 9309, section 2.3.1.3: any 4xx means that the crawler may fetch all. */
    FORBIDDEN(403, "", List.of()),
    ALLOW_ALL(200, "User-agent: *\nDisallow:\n", List.of()),
    PRIVATE(
            200,
            "# Our own corner\nUser-agent: *\nDisallow: /private/   # keep out\n",
            List.of(Rule.deny("/private/"))),
    DENY_ALL(200, "User-agent: *\nDisallow: /\n", List.of(Rule.deny("/"))),
    /** A group for orbweaver in different case, after one that disallows all. */
    OWN_GROUP(
            200,
            "User-agent: *\r\nDisallow: /\r\n\r\nUser-Agent: OrbWeaver\r\nDisallow: /private/\r\n",
            List.of(Rule.deny("/private/"))),
    WILDCARDS(
            200,
            """
            User-agent: examplebot
            Disallow: /

            User-agent: examplebot-news
            User-agent: *
            Disallow: /*.draft$
            Disallow: /private/
            Allow: /private/open-
            Unknown-line: is skipped
            """,
            List.of(Rule.deny("/*.draft$"), Rule.deny("/private/"), Rule.allow("/private/open-"))),
    CRAWL_DELAY(200, "User-agent: *\nCrawl-delay: %s\nDisallow:\n", List.of()),
    /** RFC 9309, section 2.3.1.4: a server error means complete disallow. */
    UNREACHABLE(500, "", List.of()),
    // The following kinds occur only with a hazard.
    UNAUTHORIZED(401, "", List.of()),
    GONE(410, "", List.of()),
    /** The connection closes without a response, which counts as unreachable, like a 5xx. */
    CLOSED(0, "", List.of()),
    /** One rule at the end of the first 500 KiB, and one after it (RFC 9309, section 2.5). */
    HUGE(
            200,
            "User-agent: *\n"
                    + "# This line says nothing, and says it over and over.\n".repeat(9_500)
                    + "Disallow: /private/\n"
                    + "# This line comes too late to say anything at all.\n".repeat(1_000)
                    + "Disallow: /\n",
            List.of(Rule.deny("/private/"))),
    /** After one to five redirects, which a crawler follows (RFC 9309, section 2.3.1.2). */
    REDIRECTED(200, "User-agent: *\nDisallow: /private/\n", List.of(Rule.deny("/private/"))),
    /** After more than five redirects, which counts as unavailable: everything is allowed. */
    LOST(200, "User-agent: *\nDisallow: /\n", List.of());

    /** The number of redirects of a robots.txt that a crawler follows. */
    static final int REDIRECTS_FOLLOWED = 5;

    private final int status;
    private final String text;

    @SuppressWarnings("ImmutableEnumChecker") // Created by List.of, so immutable.
    private final List<Rule> rules;

    SimulatedRobots(int status, String text, List<Rule> rules) {
        this.status = status;
        this.text = text;
        this.rules = rules;
    }

    int status() {
        return status;
    }

    /** The served text, without the Sitemap lines. */
    String text(int crawlDelayMillis) {
        return this == CRAWL_DELAY
                ? text.replace("%s", String.format(Locale.ROOT, "%.2f", crawlDelayMillis / 1000.0))
                : text;
    }

    /** Whether it occurs only with {@link Hazard#ROBOTS_KINDS}. */
    boolean isHazard() {
        return switch (this) {
            case UNAUTHORIZED, GONE, CLOSED, HUGE, REDIRECTED, LOST -> true;
            case NOT_FOUND,
                    FORBIDDEN,
                    ALLOW_ALL,
                    PRIVATE,
                    DENY_ALL,
                    OWN_GROUP,
                    WILDCARDS,
                    CRAWL_DELAY,
                    UNREACHABLE ->
                    false;
        };
    }

    /** The number of redirects from robots.txt to the text. */
    int redirectCount(int host) {
        return switch (this) {
            case REDIRECTED -> 1 + host % REDIRECTS_FOLLOWED;
            case LOST -> REDIRECTS_FOLLOWED + 1 + host % 3;
            default -> 0;
        };
    }

    /** Whether the host has pages under {@code /private/} that rules may disallow. */
    boolean hasPrivatePages() {
        return rules.contains(Rule.deny("/private/"));
    }

    /** Whether the text is reachable; otherwise no page may be fetched. */
    boolean isReachable() {
        return status > 0 && status < 500;
    }

    boolean allows(String target) {
        if (target.equals("/robots.txt")) {
            return true;
        }
        if (!isReachable()) {
            return false;
        }
        // RFC 9309, section 2.2.2: the longest pattern applies; allow wins a tie.
        var longest = -1;
        var allowed = true;
        for (var rule : rules) {
            var length = rule.pattern.length();
            if (rule.matches(target) && (length > longest || (length == longest && rule.allow))) {
                longest = length;
                allowed = rule.allow;
            }
        }
        return allowed;
    }

    record Rule(boolean allow, String pattern) {

        static Rule allow(String pattern) {
            return new Rule(true, pattern);
        }

        static Rule deny(String pattern) {
            return new Rule(false, pattern);
        }

        boolean matches(String target) {
            return matches(0, target, 0);
        }

        // Simple and slow: it tries every way to match the wildcards.
        private boolean matches(int at, String target, int from) {
            if (at == pattern.length()) {
                return true;
            }
            var c = pattern.charAt(at);
            if (c == '$' && at == pattern.length() - 1) {
                return from == target.length();
            }
            if (c == '*') {
                for (var skip = from; skip <= target.length(); skip++) {
                    if (matches(at + 1, target, skip)) {
                        return true;
                    }
                }
                return false;
            }
            return from < target.length()
                    && target.charAt(from) == c
                    && matches(at + 1, target, from + 1);
        }
    }
}
