package dev.orbweaver.testkit;

import java.util.List;
import java.util.Locale;

/**
 * A host's robots.txt for the product token {@code orbweaver}: the text that is served, and its
 * rules, written down beside it and not parsed from it.
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
    /** A group of our own, after one that would shut us out and with another case of letters. */
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
    // From here on: what only a hazard brings.
    UNAUTHORIZED(401, "", List.of()),
    GONE(410, "", List.of()),
    /** The connection closes without a response, which is as unreachable as a server error. */
    CLOSED(0, "", List.of()),
    /** A rule at the end of the 500 KiB to read, and one behind (RFC 9309, section 2.5). */
    HUGE(
            200,
            "User-agent: *\n"
                    + "# This line says nothing, and says it over and over.\n".repeat(9_500)
                    + "Disallow: /private/\n"
                    + "# This line comes too late to say anything at all.\n".repeat(1_000)
                    + "Disallow: /\n",
            List.of(Rule.deny("/private/"))),
    /** Behind one to five redirects, which a crawler follows (RFC 9309, section 2.3.1.2). */
    REDIRECTED(200, "User-agent: *\nDisallow: /private/\n", List.of(Rule.deny("/private/"))),
    /** Behind more than five redirects, which counts as having none. */
    LOST(200, "User-agent: *\nDisallow: /\n", List.of());

    /** How many redirects of a robots.txt a crawler follows. */
    static final int REDIRECTS_FOLLOWED = 5;

    private final int status;
    private final String text;

    @SuppressWarnings("ImmutableEnumChecker") // Made by List.of: nobody can change it.
    private final List<Rule> rules;

    SimulatedRobots(int status, String text, List<Rule> rules) {
        this.status = status;
        this.text = text;
        this.rules = rules;
    }

    int status() {
        return status;
    }

    /** The text served, before the lines that name sitemaps. */
    String text(int crawlDelayMillis) {
        return this == CRAWL_DELAY
                ? text.replace("%s", String.format(Locale.ROOT, "%.2f", crawlDelayMillis / 1000.0))
                : text;
    }

    /** Whether only {@link Hazard#ROBOTS_KINDS} brings it. */
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

    /** How many redirects lead from robots.txt to the text. */
    int redirectCount(int host) {
        return switch (this) {
            case REDIRECTED -> 1 + host % REDIRECTS_FOLLOWED;
            case LOST -> REDIRECTS_FOLLOWED + 1 + host % 3;
            default -> 0;
        };
    }

    /** Whether the host has pages under {@code /private/} that are worth forbidding. */
    boolean hasPrivatePages() {
        return rules.contains(Rule.deny("/private/"));
    }

    /** Whether the text is reachable; otherwise nothing may be fetched. */
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
        // RFC 9309, section 2.2.2: the longest pattern decides, and allow wins a draw.
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

        // Plain and slow: every way to spend the stars is tried.
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
