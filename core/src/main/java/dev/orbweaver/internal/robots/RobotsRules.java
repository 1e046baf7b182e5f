package dev.orbweaver.internal.robots;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The rules of one robots.txt for one crawler (RFC 9309). Only the rules of its group are kept. */
public final class RobotsRules {

    /** Maximum size that is parsed: 500 KiB (RFC 9309 section 2.5). */
    public static final int BYTES_MAX = 512_000;

    public static final RobotsRules ALLOW_ALL =
            new RobotsRules(
                    RuleTable.EMPTY,
                    UsageRules.NONE,
                    Optional.empty(),
                    List.of(),
                    Optional.empty());

    private static final Verdict NO_RULE = new Verdict(true, 0, "");
    private static final Verdict TOO_COSTLY =
            new Verdict(false, 0, "matching this path against the wildcard rules costs too much");
    private static final Usage NO_USAGE_RULE = new Usage(Set.of(), 0);

    private final RuleTable table;
    private final UsageRules usage;
    private final Optional<Duration> crawlDelay;
    private final List<String> sitemaps;
    private final Optional<Verdict> blanketVerdict;

    /**
     * Whether a path may be fetched.
     *
     * @param line the matching line, counted from 1; 0 if no line matches
     * @param rule the normalized matching rule, as {@code Disallow: /private}; the reason if
     *     everything is denied; empty if no rule matches
     */
    public record Verdict(boolean allowed, int line, String rule) {

        public Verdict {
            if (line < 0) {
                throw new IllegalArgumentException("the line must not be negative: " + line);
            }
        }
    }

    RobotsRules(
            RuleTable table,
            UsageRules usage,
            Optional<Duration> crawlDelay,
            List<String> sitemaps,
            Optional<Verdict> blanket) {
        this.table = table;
        this.usage = usage;
        this.crawlDelay = crawlDelay;
        this.sitemaps = List.copyOf(sitemaps);
        this.blanketVerdict = blanket;
    }

    /** Returns rules that forbid everything except /robots.txt, for the given reason. */
    public static RobotsRules denyAll(String reason) {
        return new RobotsRules(
                RuleTable.EMPTY,
                UsageRules.NONE,
                Optional.empty(),
                List.of(),
                Optional.of(new Verdict(false, 0, reason)));
    }

    /**
     * Parses a file of arbitrary bytes.
     *
     * @param length how many of the bytes belong to the file; at most {@link #BYTES_MAX} are parsed
     * @param productToken the crawler's name, up to the first character that a token cannot contain
     */
    public static RobotsRules parse(byte[] bytes, int length, String productToken) {
        var robotsGroups = new RobotsGroups(ProductToken.name(productToken));
        new RobotsLines(bytes, length).forEach(robotsGroups);
        return robotsGroups.rules();
    }

    /** Evaluates a path with its query, as in a request line. */
    public Verdict evaluate(String pathAndQuery) {
        return evaluate(pathAndQuery, new RobotsMatchCost());
    }

    /** Evaluates a path and adds the cost. A path that would cost too much is forbidden. */
    public Verdict evaluate(String pathAndQuery, RobotsMatchCost cost) {
        // "The /robots.txt URI is implicitly allowed" (section 2.2.2).
        if (pathAndQuery.equals("/robots.txt")) {
            return NO_RULE;
        }
        if (blanketVerdict.isPresent()) {
            return blanketVerdict.get();
        }
        if (table.size() == 0) {
            return NO_RULE;
        }
        var rule = table.decidingRule(RobotsPath.ofPath(pathAndQuery), cost);
        if (rule == RuleTable.TOO_COSTLY) {
            return TOO_COSTLY;
        }
        if (rule < 0) {
            return NO_RULE;
        }
        var allowed = table.allows(rule);
        var key = allowed ? "Allow: " : "Disallow: ";
        return new Verdict(allowed, table.line(rule), key + table.pattern(rule));
    }

    /** The denied uses of a path; {@code line} is the matching line, counted from 1, or 0. */
    public record Usage(Set<Directive> denied, int line) {

        public Usage {
            denied = Set.copyOf(denied);
        }
    }

    /** Evaluates the usage preferences for a path with its query. */
    public Usage usage(String pathAndQuery) {
        return usage.isEmpty() ? NO_USAGE_RULE : usage.evaluate(pathAndQuery);
    }

    /**
     * Returns the crawl delay of the group; at most a hundred years, so that sums do not overflow.
     */
    public Optional<Duration> crawlDelay() {
        return crawlDelay;
    }

    /** Returns the distinct values of all Sitemap lines as written; they belong to no group. */
    public List<String> sitemaps() {
        return sitemaps;
    }

    /** Returns the approximate memory use. */
    public long memoryBytes() {
        return table.memoryBytes()
                + usage.memoryBytes()
                + sitemaps.stream().mapToLong(text -> 2L * text.length() + 56).sum();
    }
}
