package dev.orbweaver.internal.crawl;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.internal.crawl.RobotsCache.RobotsResponse;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.frontier.HostOverride;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.RateGroup;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.WorkbenchFrontier;
import dev.orbweaver.internal.frontier.disk.DiskFrontier;
import dev.orbweaver.internal.parse.HtmlParser;
import dev.orbweaver.internal.robots.RobotsOutcome;
import dev.orbweaver.internal.robots.RobotsRules;
import dev.orbweaver.internal.scope.RuleScope;
import dev.orbweaver.internal.scope.ScopeSettings;
import dev.orbweaver.internal.scope.SharedScope;
import dev.orbweaver.internal.scope.TombstoneScope;
import dev.orbweaver.internal.seeds.RemovedSeeds;
import dev.orbweaver.internal.sink.TombstoneWatch;
import dev.orbweaver.internal.traps.TrapSettings;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.AddressRange;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.HostPattern;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.ScopeType;
import dev.orbweaver.spi.Document;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Measures what the crawler spends on a page and on each of its links beside a number of seeds,
 * hosts, rules and so on, none of which must make a page more expensive.
 *
 * <p>It calls the classes of a crawl on one thread, without network, WARC and page log: a lease and
 * its gates, the parser, the decisions about the links, and the settlement with a frontier on disk.
 * Nine of ten links are known already, one is new, and the others are refused.
 */
public final class PageCost implements AutoCloseable {

    /** What there may be many of. */
    public enum Quantity {
        SEEDS,
        HOSTS,
        HOST_RULES,
        RATE_GROUPS,
        ROBOTS_RULES,
        EXCLUSIONS,
        TOMBSTONES,
        JOBS,
        QUEUED_URLS,
        LINKS
    }

    /**
     * The CPU time of the thread.
     *
     * @param pageNanos of a page with everything
     * @param linkNanos of a link: the part of the page that is not lease and gates, by link
     */
    public record Cost(double pageNanos, double linkNanos) {}

    /** The cost of the same pages at two sizes, as medians of rounds that are taken in turns. */
    public record Comparison(Cost smaller, Cost larger) {

        public double pageRatio() {
            return larger.pageNanos / smaller.pageNanos;
        }

        public double linkRatio() {
            return larger.linkNanos / smaller.linkNanos;
        }
    }

    private static final JobId JOB = new JobId(0);
    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");
    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    /** Most queued URLs, and all links of a page, are of these hosts. */
    private static final int HUBS = 20;

    private static final int OFFERED_TOGETHER = 2_000;
    private static final int PAGES_TOGETHER = 50;
    private static final String DIGITS = "0000000";

    private final Path directory;
    private final WorkbenchFrontier frontier;
    private final CrawlFrontier job;
    private final VisitContext visits;
    private final HtmlParser parser = new HtmlParser(URLS, true);
    private final InetAddress address = InetAddress.ofLiteral("192.0.2.1");
    private final Random random = new Random(5);
    private final byte[] html;
    private final int baseAt;
    private final int ownAt;
    private final int[] knownAt;
    private final int knownByHub;
    private final int links;
    private Instant now = START;
    private int pages;

    /** Creates a crawl in an empty directory with the usual sizes, except for one quantity. */
    public PageCost(Quantity quantity, int size, Path directory) throws IOException {
        this.directory = directory;
        this.links = size(Quantity.LINKS, 100, quantity, size);
        var hosts = size(Quantity.HOSTS, 1_000, quantity, size);
        var queued = size(Quantity.QUEUED_URLS, 100_000, quantity, size);
        this.knownByHub = queued / HUBS;
        var politeness =
                politeness(
                        size(Quantity.HOST_RULES, 10, quantity, size),
                        size(Quantity.RATE_GROUPS, 10, quantity, size));
        this.frontier =
                DiskFrontier.open(
                        new RealDisk(),
                        Files.createDirectories(directory.resolve(DirectoryLayout.FRONTIER)),
                        politeness,
                        START);
        this.job = frontier.job(JOB);
        this.visits =
                visits(
                        hosts,
                        size(Quantity.SEEDS, 1, quantity, size),
                        size(Quantity.TOMBSTONES, 10, quantity, size));
        readRobots(size(Quantity.ROBOTS_RULES, 10, quantity, size));
        offer(hosts, host -> "/");
        for (var number = 0; number < knownByHub; number++) {
            var path = "/q/" + digits(number);
            offer(HUBS, _ -> path);
        }
        flushOffers();
        exclude(size(Quantity.EXCLUSIONS, 10, quantity, size));
        addJobs(size(Quantity.JOBS, 10, quantity, size), politeness);

        var text = new StringBuilder("<title>A page</title><base href=\"http://site-");
        this.baseAt = text.length();
        text.append(DIGITS).append(".example/\"><p>");
        text.append("Some words about nothing in particular, repeated often. ".repeat(20));
        text.append("<a href=\"http://site-");
        this.ownAt = text.length();
        text.append(DIGITS).append(".example/n/").append(DIGITS).append("\">new</a>\n");
        this.knownAt = new int[links * 9 / 10];
        for (var i = 0; i < knownAt.length; i++) {
            text.append("<a href=\"/q/");
            knownAt[i] = text.length();
            text.append(DIGITS).append("\">known</a>\n");
        }
        for (var i = knownAt.length + 1; i < links; i++) {
            text.append(
                    switch (i % 3) {
                        case 0 -> "<a href=\"http://outside-" + i + ".example/\">outside</a>\n";
                        case 1 -> "<a href=\"/archive-" + i + ".zip\">skipped</a>\n";
                        default -> "<a href=\"/private/" + i + "\">disallowed</a>\n";
                    });
        }
        this.html = text.toString().getBytes(ISO_8859_1);
    }

    private static int size(Quantity of, int usual, Quantity quantity, int size) {
        return of == quantity ? size : usual;
    }

    private static Politeness politeness(int hostRules, int rateGroups) {
        var overrides =
                IntStream.range(0, hostRules)
                        .mapToObj(
                                i ->
                                        new HostOverride(
                                                HostPattern.of(".ruled-" + i + ".example"),
                                                Optional.of(Duration.ofSeconds(9)),
                                                Optional.empty()))
                        .toList();
        var groups =
                IntStream.range(0, rateGroups)
                        .mapToObj(i -> new RateGroup(members(i), Duration.ofSeconds(9)))
                        .toList();
        return new Politeness(
                        Duration.ZERO, Duration.ZERO, Duration.ZERO, 1, Duration.ofMinutes(10))
                .with(overrides, groups);
    }

    private static RateGroup.Members members(int number) {
        return number % 2 == 0
                ? new RateGroup.Members.Hosts(HostPattern.of(".grouped-" + number + ".example"))
                : new RateGroup.Members.Addresses(
                        AddressRange.of(
                                "10.%d.%d.0/24".formatted(number >> 8 & 0xFF, number & 0xFF)));
    }

    private VisitContext visits(int hosts, int seeds, int tombstones) throws IOException {
        var scope =
                new RuleScope(
                        new ScopeSettings(
                                ScopeType.HOST,
                                List.of(),
                                List.of(),
                                100,
                                Set.of("zip"),
                                false,
                                Set.of(),
                                Long.MAX_VALUE),
                        List.of());
        for (var i = 0; i < hosts; i++) {
            scope.addSeedHost(host(i));
        }
        for (var i = 0; i < seeds; i++) {
            scope.addSeedHost("seed-" + i + ".example");
        }
        var lines = new StringBuilder();
        for (var i = 0; i < tombstones; i++) {
            lines.append(START)
                    .append(
                            i % 2 == 0
                                    ? "\thost\tgone-" + i + ".example\n"
                                    : "\turl\thttp://gone.example/" + i + "\n");
        }
        AtomicFile.write(
                new RealDisk(), directory.resolve(DirectoryLayout.TOMBSTONES), lines.toString());
        RemovedSeeds.add(
                directory,
                IntStream.range(0, tombstones)
                        .mapToObj(i -> url("removed.example", "/" + i))
                        .toList());
        var clock = MonotonicClock.start(() -> START);
        var settings =
                new CrawlSettings(
                        10,
                        true,
                        "orbweaver",
                        true,
                        new RetryPolicy(2, Duration.ofSeconds(5)),
                        new CrawlSettings.Limits(
                                Long.MAX_VALUE, Long.MAX_VALUE, Duration.ofDays(1000)),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(5),
                        Duration.ZERO,
                        3,
                        1 << 20,
                        TrapSettings.OFF);
        return new VisitContext(
                settings,
                URLS,
                TombstoneScope.takenDown(
                        TombstoneScope.removed(
                                new SharedScope(scope, 0, job::seedsFrom, List::of),
                                new RemovedSeeds(directory, URLS, clock)::contains),
                        new TombstoneWatch(directory, URLS, clock)::covers));
    }

    private void readRobots(int rules) {
        var text = new StringBuilder("user-agent: *\ndisallow: /private/\n");
        for (var i = 0; i < rules; i++) {
            text.append("disallow: /never/").append(i).append('\n');
        }
        var bytes = text.toString().getBytes(ISO_8859_1);
        var parsed = RobotsRules.parse(bytes, bytes.length, "orbweaver");
        for (var hub = 0; hub < HUBS; hub++) {
            var url = url(host(hub), "/");
            var robots = url(host(hub), "/robots.txt");
            var _ = visits.robots().claim(url, now);
            var _ =
                    visits.robots()
                            .onResponse(
                                    url,
                                    robots,
                                    new RobotsResponse(
                                            new RobotsOutcome.Rules(parsed),
                                            "status 200",
                                            bytes,
                                            now,
                                            Duration.ZERO));
            visits.robots().activateRules(url);
        }
    }

    private final List<Candidate> offers = new ArrayList<>();

    private interface Paths {
        String of(int host);
    }

    private void offer(int hosts, Paths paths) {
        for (var i = 0; i < hosts; i++) {
            offers.add(new Candidate(url(host(i), paths.of(i)), Hop.LINK, 1, 0));
            if (offers.size() == OFFERED_TOGETHER) {
                flushOffers();
            }
        }
    }

    private void flushOffers() {
        require(job.offer(offers, now).isStored());
        offers.clear();
    }

    private void exclude(int number) {
        var patterns =
                IntStream.range(0, number)
                        .mapToObj(i -> HostPattern.of(".excluded-" + i + ".example"))
                        .toList();
        require(frontier.exclude(JOB, new HostSet(patterns), now).isStored());
    }

    /** Adds jobs that have work on hosts of their own, and want no leases at present. */
    private void addJobs(int number, Politeness politeness) {
        for (var i = 1; i <= number; i++) {
            var other = new JobId(i);
            frontier.setPoliteness(other, politeness, now);
            var own = new Candidate(url("job-" + i + ".example", "/"), Hop.LINK, 1, 0);
            require(frontier.job(other).offer(List.of(own), now).isStored());
        }
    }

    /**
     * Compares two crawls in turns.
     *
     * @param warmRounds rounds of each before the first one that counts
     */
    public static Comparison compare(
            PageCost smaller, PageCost larger, int warmRounds, int rounds) {
        for (var round = 0; round < warmRounds; round++) {
            var _ = smaller.visit(smaller.pagesTogether());
            var _ = larger.visit(larger.pagesTogether());
        }
        var costs = new double[4][rounds];
        for (var round = 0; round < rounds; round++) {
            var first = smaller.visit(smaller.pagesTogether());
            var second = larger.visit(larger.pagesTogether());
            costs[0][round] = first.pageNanos;
            costs[1][round] = first.linkNanos;
            costs[2][round] = second.pageNanos;
            costs[3][round] = second.linkNanos;
        }
        return new Comparison(
                new Cost(median(costs[0]), median(costs[1])),
                new Cost(median(costs[2]), median(costs[3])));
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    private int pagesTogether() {
        return Math.max(2, PAGES_TOGETHER * 100 / links);
    }

    private Cost visit(int number) {
        var leasing = 0L;
        var linking = 0L;
        for (var i = 0; i < number; i++) {
            var before = threadNanos();
            var lease = lease();
            var leased = threadNanos();
            writePage(lease.url());
            var written = threadNanos();
            process(lease);
            leasing += leased - before;
            linking += threadNanos() - written;
        }
        return new Cost((double) (leasing + linking) / number, (double) linking / number / links);
    }

    private Lease lease() {
        now = now.plusMillis(1);
        var leases = frontier.lease(1, Map.of(JOB, 1), now);
        require(leases.size() == 1);
        var lease = leases.getFirst();
        require(job.passGates(lease, lease.url(), address, now).isEmpty());
        job.sent(lease, now);
        return lease;
    }

    private void writePage(CrawlUrl url) {
        write(baseAt, random.nextInt(HUBS));
        System.arraycopy(url.host().getBytes(ISO_8859_1), "site-".length(), html, ownAt, 7);
        write(ownAt + DIGITS.length() + ".example/n/".length(), pages++);
        var step = Math.max(1, knownByHub / knownAt.length);
        var from = random.nextInt(knownByHub);
        for (var i = 0; i < knownAt.length; i++) {
            write(knownAt[i], (int) ((from + (long) i * step) % knownByHub));
        }
    }

    private void write(int at, int number) {
        var left = number;
        for (var i = DIGITS.length() - 1; i >= 0; i--) {
            html[at + i] = (byte) ('0' + left % 10);
            left /= 10;
        }
    }

    private void process(Lease lease) {
        var page =
                parser.parse(new Document(lease.url(), "text/html", List.of(), html, html.length));
        var classified = visits.classifyLinks(page, lease.depth(), now);
        require(classified.found().size() == knownAt.length + 1);
        require(job.queuedBytes() > 0);
        var settlement =
                new Settlement(
                        lease,
                        new Outcome.Done(true, html.length),
                        new HostSignal.Healthy(now),
                        pages,
                        classified.found(),
                        classified.refused());
        require(job.settle(new CommitBatch(List.of(settlement), List.of()), now).isStored());
    }

    private static void require(boolean condition) {
        if (!condition) {
            throw new IllegalStateException("the crawl did not do what is measured");
        }
    }

    private static long threadNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static String host(int number) {
        return "site-" + digits(number) + ".example";
    }

    private static String digits(int number) {
        var digits = Integer.toString(number);
        return DIGITS.substring(digits.length()) + digits;
    }

    private static CrawlUrl url(String host, String path) {
        return URLS.parse("http://" + host + path).orElseThrow();
    }

    @Override
    public void close() {
        frontier.close();
    }
}
