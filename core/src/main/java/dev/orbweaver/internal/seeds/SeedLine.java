package dev.orbweaver.internal.seeds;

import dev.orbweaver.internal.config.Seed;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.SeedBatch;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A line of a seed list: a URL, then fields that are separated by tabs.
 *
 * <pre>{@code
 * https://example.com/
 * https://example.com/news	priority=+20	not-before=2026-12-01T06:00:00Z
 * https://example.com/old	visited
 * https://example.com/index	depth=1	last-visit=link:page:1729
 * }</pre>
 *
 * Empty lines and lines that begin with {@code #} are comments.
 */
public sealed interface SeedLine {

    /** The points by which {@code priority} can raise or lower the priority of a URL. */
    int PRIORITY_MAX = 100;

    int DEPTH_MAX = 1_000_000;

    /** A URL to fetch. */
    record Wanted(Candidate candidate) implements SeedLine {}

    /** A URL of the crawl to visit again. */
    record Again(SeedBatch.Revisit revisit) implements SeedLine {}

    /** A URL that was fetched elsewhere and counts as done. */
    record Visited(CrawlUrl url) implements SeedLine {}

    record Comment() implements SeedLine {}

    /** A line that is not a URL, or has an unknown field. */
    record Malformed(String reason) implements SeedLine {}

    /** Returns why a text is not a URL that a list can contain; empty if it is one. */
    static Optional<String> problem(String text, CrawlUrls urls) {
        if (text.indexOf('\uFFFD') >= 0) {
            return Optional.of("not UTF-8 text");
        }
        if (text.indexOf('\t') >= 0) {
            return Optional.of("a tab in the URL; --seeds reads fields after it");
        }
        if (text.indexOf('@') >= 0 && Seed.hasCredentials(text)) {
            return Optional.of("a URL must not contain a user name or password; use --credentials");
        }
        return text.startsWith("#") || Seed.read(text, urls).isEmpty()
                ? Optional.of(Seed.problem(text))
                : Optional.empty();
    }

    /** Parses a line without its line separator. */
    static SeedLine parse(String line, CrawlUrls urls) {
        var tab = line.indexOf('\t');
        var text = (tab < 0 ? line : line.substring(0, tab)).strip();
        if (text.isEmpty() || text.charAt(0) == '#') {
            return tab < 0 || !text.isEmpty()
                    ? new Comment()
                    : new Malformed("the line begins with a tab; expected a URL");
        }
        if (line.indexOf('\uFFFD') >= 0) {
            return new Malformed("not UTF-8 text");
        }
        if (text.indexOf('@') >= 0 && Seed.hasCredentials(text)) {
            return new Malformed(
                    "a URL must not contain a user name or password; use --credentials");
        }
        var seed = Seed.read(text, urls);
        if (seed.isEmpty()) {
            return new Malformed(Seed.problem(text));
        }
        var fields = new Fields();
        for (var at = tab; at >= 0 && fields.problem.isEmpty(); ) {
            var next = line.indexOf('\t', at + 1);
            fields.read(line.substring(at + 1, next < 0 ? line.length() : next).strip());
            at = next;
        }
        return fields.line(seed.get());
    }

    /**
     * The last visit of a URL, such as {@code link:page:1729}.
     *
     * @param hop how the URL is visited again: as a seed, a link or a sitemap
     * @param page whether a page was stored
     */
    record LastVisit(Hop hop, boolean page, CaptureRef capture) {

        private static final Map<String, Hop> HOPS =
                Map.of("seed", Hop.SEED, "link", Hop.LINK, "sitemap", Hop.SITEMAP);

        static LastVisit parse(String text) {
            var parts = text.split(":", -1);
            var hop = parts.length == 3 ? HOPS.get(parts[0]) : null;
            var capture = hop == null ? 0 : Long.parseLong(parts[2]);
            if (hop == null || capture <= 0 || !CaptureRef.isPacked(capture)) {
                throw new IllegalArgumentException("not a visit: " + text);
            }
            return new LastVisit(hop, parts[1].equals("page"), CaptureRef.unpack(capture));
        }

        @Override
        public String toString() {
            return "%s:%s:%d"
                    .formatted(
                            hop.name().toLowerCase(Locale.ROOT),
                            page ? "page" : "other",
                            capture.packed());
        }

        private SeedLine again(CrawlUrl url, int depth, int bonus, long notBefore) {
            return new Again(
                    new SeedBatch.Revisit(
                            new Candidate(url, hop, depth, 0, bonus, notBefore), capture, page));
        }
    }

    /** The fields of a line. */
    final class Fields {

        private int bonus;
        private int depth;
        private long notBefore;
        private boolean visited;
        private Optional<LastVisit> lastVisit = Optional.empty();
        private String problem = "";

        private void read(String field) {
            var equals = field.indexOf('=');
            var value = field.substring(equals + 1);
            try {
                switch (equals < 0 ? field : field.substring(0, equals)) {
                    case "priority" -> bonus = points(value);
                    case "depth" -> depth = limited(Integer.parseInt(value), 0, DEPTH_MAX);
                    case "not-before" -> notBefore = Instant.parse(value).toEpochMilli();
                    case "visited" -> visited = true;
                    case "last-visit" -> lastVisit = Optional.of(LastVisit.parse(value));
                    // Kept for readers of the list; the crawl fetches the page anyway.
                    case "lastmod" -> Instant.parse(value);
                    case "" -> {}
                    default ->
                            problem =
                                    "unknown field '%s'; expected priority, depth, not-before, lastmod, visited or last-visit"
                                            .formatted(field);
                }
            } catch (IllegalArgumentException | DateTimeParseException e) {
                problem =
                        "'%s' is not valid; expected such as priority=+20, depth=1, not-before=2026-12-01T06:00:00Z"
                                .formatted(field);
            }
        }

        /** Parses points to add or subtract, or without a sign a whole priority from 0 to 100. */
        private static int points(String value) {
            var number = limited(Integer.parseInt(value), -PRIORITY_MAX, PRIORITY_MAX);
            return value.startsWith("+") || value.startsWith("-") ? number : number - PRIORITY_MAX;
        }

        private static int limited(int number, int min, int max) {
            if (number < min || number > max) {
                throw new NumberFormatException();
            }
            return number;
        }

        private SeedLine line(Seed seed) {
            if (!problem.isEmpty()) {
                return new Malformed(problem);
            }
            if (visited) {
                return new Visited(seed.url());
            }
            if (lastVisit.isPresent()) {
                return lastVisit.get().again(seed.url(), depth, bonus, notBefore);
            }
            var hop = seed.schemeGuessed() ? Hop.GUESSED_SEED : Hop.SEED;
            return new Wanted(new Candidate(seed.url(), hop, depth, 0, bonus, notBefore));
        }
    }
}
