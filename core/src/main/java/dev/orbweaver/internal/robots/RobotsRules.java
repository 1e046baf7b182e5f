package dev.orbweaver.internal.robots;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What one robots.txt says to one crawler (RFC 9309): only the rules of its group are kept. */
public final class RobotsRules {

    /** How much of a file is read: 500 KiB (RFC 9309 section 2.5). */
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
            new Verdict(false, 0, "too many rules with wildcards to judge this path");
    private static final Usage NO_USAGE_RULE = new Usage(Set.of(), 0);

    private final RuleTable table;
    private final UsageRules usage;
    private final Optional<Duration> crawlDelay;
    private final List<String> sitemaps;
    private final Optional<Verdict> blanketVerdict;

    /**
     * Whether a path may be fetched.
     *
     * @param line the deciding line, counted from 1; 0 when no line decided
     * @param rule the deciding rule in normal spelling, as {@code Disallow: /private}; the reason
     *     when everything is denied; empty when no rule decided
     */
    public record Verdict(boolean allowed, int line, String rule) {

        public Verdict {
            if (line < 0) {
                throw new IllegalArgumentException("lines count from 1: " + line);
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

    /** Everything but /robots.txt is forbidden, for the reason given. */
    public static RobotsRules denyAll(String reason) {
        return new RobotsRules(
                RuleTable.EMPTY,
                UsageRules.NONE,
                Optional.empty(),
                List.of(),
                Optional.of(new Verdict(false, 0, reason)));
    }

    /**
     * Reads a file of any bytes.
     *
     * @param length how many of the bytes are the file; past {@link #BYTES_MAX} they are not read
     * @param productToken the crawler's name, up to the first character that no token has
     */
    public static RobotsRules parse(byte[] bytes, int length, String productToken) {
        var robotsGroups = new RobotsGroups(ProductToken.name(productToken));
        new RobotsLines(bytes, length).forEach(robotsGroups);
        return robotsGroups.rules();
    }

    /** Evaluates a path with its query, as a request line has it. */
    public Verdict evaluate(String pathAndQuery) {
        return evaluate(pathAndQuery, new RobotsMatchCost());
    }

    /** Counts the cost. A path that would cost too much is forbidden. */
    public Verdict evaluate(String pathAndQuery, RobotsMatchCost effort) {
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
        var rule = table.decidingRule(RobotsPath.ofPath(pathAndQuery), effort);
        if (rule == RuleTable.TOO_COSTLY) {
            return TOO_COSTLY;
        }
        if (rule < 0) {
            return NO_RULE;
        }
        var allowed = table.allows(rule);
        var word = allowed ? "Allow: " : "Disallow: ";
        return new Verdict(allowed, table.line(rule), word + table.pattern(rule));
    }

    /** {@code line} decided, counted from 1; 0 when no line did. */
    public record Usage(Set<Directive> denied, int line) {

        public Usage {
            denied = Set.copyOf(denied);
        }
    }

    /** For a path with its query. */
    public Usage usage(String pathAndQuery) {
        return usage.isEmpty() ? NO_USAGE_RULE : usage.evaluate(pathAndQuery);
    }

    /** The pause that the group asks for; at most a hundred years, so that sums stay sums. */
    public Optional<Duration> crawlDelay() {
        return crawlDelay;
    }

    /** The values of all Sitemap lines, as written, each once; they belong to no group. */
    public List<String> sitemaps() {
        return sitemaps;
    }

    /** Approximate. */
    public long memoryBytes() {
        return table.memoryBytes()
                + usage.memoryBytes()
                + sitemaps.stream().mapToLong(text -> 2L * text.length() + 56).sum();
    }
}
