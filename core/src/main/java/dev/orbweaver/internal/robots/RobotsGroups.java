package dev.orbweaver.internal.robots;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Gathers, while the lines go by, what is said to one crawler and what is said to all; in the end
 * the first counts if it was named at all, even without a rule (RFC 9309 section 2.2.1).
 *
 * <p>A group is a run of user-agent lines and the rules after them. Only Allow and Disallow end the
 * run: any other line, known or not, must not interfere (section 2.2.4), so {@code User-agent: a,
 * Crawl-delay: 1, User-agent: b, Disallow: /} forbids everything to both. The delay itself, which
 * the standard does not know, belongs to those named since the last rule or delay: in the same
 * example to {@code a} alone, which is what its writers mean. So do statements of what content may
 * be used for; those before any user-agent line speak to everyone.
 */
final class RobotsGroups implements RobotsLines.LineHandler {

    private static final byte[] INDEX_PAGE = "/index.htm".getBytes(StandardCharsets.US_ASCII);

    private final String token;
    private final Group ownGroup = new Group();
    private final Group wildcardGroup = new Group();
    private final Set<String> sitemaps = new LinkedHashSet<>();
    private boolean rulesSeen;
    private boolean delaySeen;
    private boolean userAgentSeen;

    /** One of the two that are collected: this crawler by name, or every crawler. */
    private static final class Group {
        private final List<RuleTable.Rule> rules = new ArrayList<>();
        private final UsageRules usage = new UsageRules();
        private Optional<Duration> delay = Optional.empty();
        private boolean found;
        private boolean active;
        private boolean activeForDelay;

        void activate() {
            found = true;
            active = true;
            activeForDelay = true;
        }

        /** Of several delays the longest holds, as no host minds the longer one. */
        void delay(Duration given) {
            if (activeForDelay && delay.filter(known -> known.compareTo(given) >= 0).isEmpty()) {
                delay = Optional.of(given);
            }
        }
    }

    RobotsGroups(String token) {
        this.token = token;
    }

    RobotsRules rules() {
        var chosen = ownGroup.found ? ownGroup : wildcardGroup;
        return new RobotsRules(
                chosen.rules.isEmpty() ? RuleTable.EMPTY : new RuleTable(chosen.rules),
                chosen.usage.isEmpty() ? UsageRules.NONE : chosen.usage,
                chosen.delay,
                List.copyOf(sitemaps),
                Optional.empty());
    }

    @Override
    public void line(int number, RobotsLines.Key key, byte[] bytes, int start, int end) {
        switch (key) {
            case USER_AGENT -> userAgent(bytes, start, end);
            case ALLOW -> rule(number, true, bytes, start, end);
            case DISALLOW -> rule(number, false, bytes, start, end);
            case CRAWL_DELAY -> {
                delaySeen = true;
                CrawlDelay.parse(text(bytes, start, end)).ifPresent(this::delay);
            }
            case SITEMAP -> {
                if (end > start) {
                    sitemaps.add(text(bytes, start, end));
                }
            }
            case CONTENT_USAGE -> usage(number, false, bytes, start, end);
            case CONTENT_SIGNAL -> usage(number, true, bytes, start, end);
            case UNKNOWN -> {}
        }
    }

    private void usage(int number, boolean signal, byte[] bytes, int start, int end) {
        delaySeen = true;
        if (ownGroup.activeForDelay || !userAgentSeen) {
            ownGroup.usage.add(number, signal, bytes, start, end);
        }
        if (wildcardGroup.activeForDelay || !userAgentSeen) {
            wildcardGroup.usage.add(number, signal, bytes, start, end);
        }
    }

    private void userAgent(byte[] bytes, int start, int end) {
        if (rulesSeen) {
            ownGroup.active = false;
            wildcardGroup.active = false;
        }
        if (rulesSeen || delaySeen) {
            ownGroup.activeForDelay = false;
            wildcardGroup.activeForDelay = false;
        }
        userAgentSeen = true;
        rulesSeen = false;
        delaySeen = false;
        var name = text(bytes, start, end);
        if (isWildcard(name)) {
            wildcardGroup.activate();
        } else if (!token.isEmpty() && ProductToken.name(name).equalsIgnoreCase(token)) {
            ownGroup.activate();
        }
    }

    /** A star alone; words after it, and the mark-up of a file sent as HTML, are forgiven. */
    private static boolean isWildcard(String name) {
        return name.startsWith("*") && (name.length() == 1 || " \t<".indexOf(name.charAt(1)) >= 0);
    }

    private void rule(int number, boolean allow, byte[] bytes, int start, int end) {
        rulesSeen = true;
        if (end > start && (ownGroup.active || wildcardGroup.active)) {
            var pattern = RobotsPath.ofPattern(bytes, start, end);
            add(new RuleTable.Rule(pattern, allow, number));
            if (allow) {
                directoryPattern(pattern)
                        .ifPresent(alone -> add(new RuleTable.Rule(alone, true, number)));
            }
        }
    }

    private void add(RuleTable.Rule rule) {
        if (ownGroup.active) {
            ownGroup.rules.add(rule);
        }
        if (wildcardGroup.active) {
            wildcardGroup.rules.add(rule);
        }
    }

    /**
     * A rule that allows {@code /a/index.html} also allows {@code /a/}, as the large crawlers do:
     * the pattern for the directory, if this is one for its index page.
     */
    private static Optional<byte[]> directoryPattern(byte[] pattern) {
        var slash = pattern.length - 1;
        while (slash >= 0 && pattern[slash] != '/') {
            slash--;
        }
        var page = INDEX_PAGE.length;
        if (slash < 0
                || slash + page > pattern.length
                || !Arrays.equals(pattern, slash, slash + page, INDEX_PAGE, 0, page)) {
            return Optional.empty();
        }
        var alone = Arrays.copyOf(pattern, slash + 2);
        alone[slash + 1] = '$';
        return Optional.of(alone);
    }

    private void delay(Duration given) {
        ownGroup.delay(given);
        wildcardGroup.delay(given);
    }

    private static String text(byte[] bytes, int start, int end) {
        return new String(bytes, start, end - start, StandardCharsets.UTF_8);
    }
}
