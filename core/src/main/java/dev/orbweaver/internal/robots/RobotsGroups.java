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
 * Collects the group for one crawler and the group for all crawlers. The crawler's own group
 * applies if the file names the crawler at all, even without a rule (RFC 9309 section 2.2.1).
 *
 * <p>A group is a run of user-agent lines and the rules after them. Only Allow and Disallow end the
 * run: other lines, known or not, must not interfere (section 2.2.4). So {@code User-agent: a,
 * Crawl-delay: 1, User-agent: b, Disallow: /} forbids everything to both. Crawl-delay is not part
 * of the standard; it belongs to the user agents named since the last rule or delay. In the example
 * it applies to {@code a} only, which is what authors of such files mean. The same holds for usage
 * preferences; those before any user-agent line apply to everyone.
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

    /** One of the two collected groups. */
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

        /** Records a delay. Of several delays the longest applies, which is safe for every host. */
        void delay(Duration parsed) {
            if (activeForDelay && delay.filter(known -> known.compareTo(parsed) >= 0).isEmpty()) {
                delay = Optional.of(parsed);
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

    /**
     * Returns whether the name is a star. Words after it, and markup of a file sent as HTML, are
     * ignored.
     */
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
                        .ifPresent(directory -> add(new RuleTable.Rule(directory, true, number)));
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
     * Returns the pattern of the directory if a pattern allows its index page. As in the large
     * crawlers, a rule that allows {@code /a/index.html} also allows {@code /a/}.
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
        var directory = Arrays.copyOf(pattern, slash + 2);
        directory[slash + 1] = '$';
        return Optional.of(directory);
    }

    private void delay(Duration parsed) {
        ownGroup.delay(parsed);
        wildcardGroup.delay(parsed);
    }

    private static String text(byte[] bytes, int start, int end) {
        return new String(bytes, start, end - start, StandardCharsets.UTF_8);
    }
}
