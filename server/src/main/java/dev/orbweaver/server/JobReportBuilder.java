package dev.orbweaver.server;

import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.sink.PageLogReader;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.server.JobReport.Count;
import dev.orbweaver.server.search.PageIndex;
import dev.orbweaver.server.search.PageIndex.Facet;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.DoubleConsumer;

/**
 * Computes the report of a job from one pass over its page log and from its search index.
 *
 * <p>Memory does not grow with the number of pages, hosts or links: lists are the first few of an
 * order, and counts by media type or depth end in {@code other}. What has any number of different
 * values (hosts, link targets, digests) is counted by the index, on disk.
 */
final class JobReportBuilder {

    private static final int LIST_MAX = 20;

    /** More than are listed, because links to style sheets and other sites are not fetched. */
    private static final int LINK_CANDIDATES_MAX = 500;

    private static final int HOSTS_MAX = 50;
    private static final int LANGUAGES_MAX = 30;
    private static final int BROKEN_MAX = 100;
    private static final int SOURCES_MAX = 5;
    private static final int TYPES_MAX = 200;
    private static final int DEPTH_MAX = 50;
    private static final int LINES_A_STEP = 500;
    private static final String OTHER = "other";

    /** The upper limits of the classes of sizes, in bytes; the last class has none. */
    private static final long[] SIZE_LIMITS = {
        1L << 10, 4L << 10, 16L << 10, 64L << 10, 256L << 10, 1L << 20, 4L << 20
    };

    private static final List<String> SIZE_NAMES =
            List.of(
                    "under 1 KB",
                    "1 to 4 KB",
                    "4 to 16 KB",
                    "16 to 64 KB",
                    "64 to 256 KB",
                    "256 KB to 1 MB",
                    "1 to 4 MB",
                    "4 MB or more");

    private final PageIndex index;
    private final Map<Integer, long[]> statuses = new TreeMap<>();
    private final Map<String, long[]> types = new HashMap<>();
    private final long[] depths = new long[DEPTH_MAX + 1];
    private final long[] sizes = new long[SIZE_LIMITS.length + 1];
    private final long[] sizeBytes = new long[SIZE_LIMITS.length + 1];
    private final Map<String, HostSums> hosts = new HashMap<>();
    private final TimeHistogram times = new TimeHistogram();
    private final ResponseTimeline timeline = new ResponseTimeline();
    private final Top slowest =
            new Top(LIST_MAX, Comparator.comparingLong(PageLogEntry::milliseconds));
    private final Top largest = new Top(LIST_MAX, Comparator.comparingLong(PageLogEntry::bytes));
    private final List<PageJson> redirects = new ArrayList<>();
    private final PriorityQueue<Candidate> broken =
            new PriorityQueue<>(Comparator.comparingLong(Candidate::inlinks));
    private long brokenTotal;
    private long responses;
    private long pages;
    private long redirected;
    private long errors;
    private long failed;
    private long withdrawn;
    private long bytes;
    private long lastLine;

    private record Candidate(PageLogEntry entry, long inlinks) {}

    private static final class HostSums {
        private long responses;
        private long pages;
        private long errors;
        private long bytes;
        private long milliseconds;
    }

    /** The first entries of an order, the greatest first. */
    private static final class Top {
        private final int max;
        private final Comparator<PageLogEntry> order;
        private final PriorityQueue<PageLogEntry> entries;

        Top(int max, Comparator<PageLogEntry> order) {
            this.max = max;
            this.order = order;
            this.entries = new PriorityQueue<>(order);
        }

        void add(PageLogEntry entry) {
            entries.add(entry);
            if (entries.size() > max) {
                entries.remove();
            }
        }

        List<PageJson> sorted() {
            return entries.stream().sorted(order.reversed()).map(PageJson::of).toList();
        }
    }

    JobReportBuilder(PageIndex index) {
        this.index = index;
    }

    /**
     * Reads the whole log, up to its end as of now.
     *
     * @param elapsedMs how long the job has run
     * @param progress receives the share of the log that was read
     */
    JobReport build(PageLogReader log, long elapsedMs, DoubleConsumer progress) throws IOException {
        var hostCounts = index.count(Facet.HOST, HOSTS_MAX);
        hostCounts.top().forEach(host -> hosts.put(host.value(), new HostSums()));
        var end = log.end().offset();
        var lines = log.next(LINES_A_STEP);
        while (!lines.isEmpty()) {
            for (var line : lines) {
                lastLine = line.entry().seq();
                if (!line.entry().superseded() && !index.isTakenDown(line.entry().url())) {
                    add(line.entry());
                }
            }
            var position = log.position().offset();
            progress.accept(Math.min(1, (double) position / end));
            lines = position < end ? log.next(LINES_A_STEP) : List.of();
        }
        return report(hostCounts.distinct(), elapsedMs);
    }

    private void add(PageLogEntry entry) throws IOException {
        switch (entry.kind()) {
            case ROBOTS, SITEMAP, RETRIED -> {
                return;
            }
            case WITHDRAWN -> {
                withdrawn++;
                return;
            }
            case PAGE -> addPage(entry);
            case REDIRECT -> {
                redirected++;
                if (redirects.size() < LIST_MAX) {
                    redirects.add(PageJson.of(entry));
                }
            }
            case ERROR -> errors++;
            case FAILED -> failed++;
        }
        if (entry.kind() == Kind.ERROR || entry.kind() == Kind.FAILED) {
            addBroken(entry);
        }
        timeline.add(entry);
        var host = hosts.get(entry.host());
        if (host != null) {
            host.responses++;
            host.pages += entry.kind() == Kind.PAGE ? 1 : 0;
            host.errors += entry.kind() == Kind.ERROR || entry.kind() == Kind.FAILED ? 1 : 0;
            host.bytes += entry.bytes();
            host.milliseconds += entry.milliseconds();
        }
        bytes += entry.bytes();
        if (entry.status() > 0) {
            responses++;
            count(statuses.computeIfAbsent(entry.status(), _ -> new long[2]), entry.bytes());
        }
    }

    private void addPage(PageLogEntry entry) {
        pages++;
        times.add(entry.milliseconds());
        slowest.add(entry);
        largest.add(entry);
        var type = entry.mediaType().isEmpty() ? "unknown" : entry.mediaType();
        var known = types.size() < TYPES_MAX || types.containsKey(type) ? type : OTHER;
        count(types.computeIfAbsent(known, _ -> new long[2]), entry.bytes());
        depths[Math.clamp(entry.depth(), 0, DEPTH_MAX)]++;
        var size = 0;
        while (size < SIZE_LIMITS.length && entry.bytes() >= SIZE_LIMITS[size]) {
            size++;
        }
        sizes[size]++;
        sizeBytes[size] += entry.bytes();
    }

    /** Adds a failed URL, unless a later line of it exists, as after a retry. */
    private void addBroken(PageLogEntry entry) throws IOException {
        if (index.latest(entry.url()).filter(last -> last.seq() != entry.seq()).isPresent()) {
            return;
        }
        brokenTotal++;
        broken.add(new Candidate(entry, index.inlinks(entry.url(), 0).total()));
        if (broken.size() > BROKEN_MAX) {
            broken.remove();
        }
    }

    private static void count(long[] sums, long bytes) {
        sums[0]++;
        sums[1] += bytes;
    }

    private JobReport report(long hostsTotal, long elapsedMs) throws IOException {
        var links = index.count(Facet.LINK_TARGET, LINK_CANDIDATES_MAX);
        var digests = index.count(Facet.DIGEST, LIST_MAX);
        var rate = elapsedMs == 0 ? 0 : Math.round(100_000.0 * pages / elapsedMs) / 100.0;
        return new JobReport(
                Instant.now(),
                lastLine,
                new JobReport.Totals(
                        responses,
                        pages,
                        redirected,
                        errors,
                        failed,
                        withdrawn,
                        bytes,
                        elapsedMs,
                        rate),
                times.quantiles(),
                timeline.toTimeline(),
                statuses.entrySet().stream()
                        .map(each -> count(each.getKey().toString(), each.getValue()))
                        .toList(),
                types.entrySet().stream()
                        .map(each -> count(each.getKey(), each.getValue()))
                        .sorted(mostFirst())
                        .toList(),
                depthCounts(),
                sizeCounts(),
                index.count(Facet.LANGUAGE, LANGUAGES_MAX).top().stream()
                        .map(each -> new Count(each.value(), each.lines(), 0))
                        .toList(),
                new JobReport.Hosts(hostsTotal, hostRows()),
                slowest.sorted(),
                largest.sorted(),
                mostLinked(links),
                new JobReport.Broken(brokenTotal, brokenLinks()),
                new JobReport.Redirects(redirected, redirects),
                new JobReport.Duplicates(
                        digests.repeated(), digests.repetitions(), groups(digests)));
    }

    private static Count count(String name, long[] sums) {
        return new Count(name, sums[0], sums[1]);
    }

    private static Comparator<Count> mostFirst() {
        return Comparator.comparingLong(Count::count).reversed().thenComparing(Count::name);
    }

    private List<Count> depthCounts() {
        var counts = new ArrayList<Count>();
        for (var depth = 0; depth <= DEPTH_MAX; depth++) {
            if (depths[depth] > 0) {
                var name = depth == DEPTH_MAX ? DEPTH_MAX + " or more" : Integer.toString(depth);
                counts.add(new Count(name, depths[depth], 0));
            }
        }
        return counts;
    }

    private List<Count> sizeCounts() {
        var counts = new ArrayList<Count>();
        for (var size = 0; size < sizes.length; size++) {
            counts.add(new Count(SIZE_NAMES.get(size), sizes[size], sizeBytes[size]));
        }
        return counts;
    }

    private List<JobReport.Host> hostRows() {
        return hosts.entrySet().stream()
                .filter(each -> each.getValue().responses > 0)
                .map(each -> hostRow(each.getKey(), each.getValue()))
                .sorted(
                        Comparator.comparingLong(JobReport.Host::responses)
                                .reversed()
                                .thenComparing(JobReport.Host::host))
                .toList();
    }

    private static JobReport.Host hostRow(String host, HostSums sums) {
        return new JobReport.Host(
                host,
                sums.responses,
                sums.pages,
                sums.errors,
                sums.bytes,
                sums.milliseconds / sums.responses);
    }

    private List<JobReport.Linked> mostLinked(PageIndex.FacetCounts links) throws IOException {
        var linked = new ArrayList<JobReport.Linked>();
        for (var each : links.top()) {
            var page = index.latest(each.value());
            if (page.isPresent() && linked.size() < LIST_MAX) {
                linked.add(new JobReport.Linked(PageJson.of(page.get()), each.lines()));
            }
        }
        return linked;
    }

    private List<JobReport.BrokenLink> brokenLinks() throws IOException {
        var items = new ArrayList<JobReport.BrokenLink>();
        var order =
                Comparator.comparingLong(Candidate::inlinks)
                        .reversed()
                        .thenComparing(each -> each.entry.url());
        for (var each : broken.stream().sorted(order).toList()) {
            items.add(
                    new JobReport.BrokenLink(
                            PageJson.of(each.entry),
                            each.inlinks,
                            index.inlinks(each.entry.url(), SOURCES_MAX).entries().stream()
                                    .map(PageJson::of)
                                    .toList()));
        }
        return items;
    }

    private List<JobReport.Group> groups(PageIndex.FacetCounts digests) throws IOException {
        var groups = new ArrayList<JobReport.Group>();
        for (var each : digests.top()) {
            if (each.lines() > 1) {
                var same = index.find(Facet.DIGEST, each.value(), SOURCES_MAX).entries();
                groups.add(
                        new JobReport.Group(
                                each.lines(),
                                same.isEmpty() ? 0 : same.getFirst().bytes(),
                                same.stream().map(PageJson::of).toList()));
            }
        }
        return groups;
    }

    /** Counts of milliseconds in classes that grow by 5 %, which bounds the error of a quantile. */
    private static final class TimeHistogram {
        private static final double GROWTH = Math.log(1.05);
        private final long[] counts = new long[512];
        private long total;
        private long max;

        void add(long milliseconds) {
            var at = (int) (Math.log1p((double) Math.max(0, milliseconds)) / GROWTH);
            counts[Math.min(at, counts.length - 1)]++;
            total++;
            max = Math.max(max, milliseconds);
        }

        JobReport.ResponseTimes quantiles() {
            return new JobReport.ResponseTimes(quantile(0.5), quantile(0.95), quantile(0.99), max);
        }

        private long quantile(double share) {
            var wanted = (long) Math.ceil(share * (double) total);
            var sum = 0L;
            for (var at = 0; at < counts.length; at++) {
                sum += counts[at];
                if (sum >= wanted && wanted > 0) {
                    return Math.min(max, Math.round(Math.expm1((at + 0.5) * GROWTH)));
                }
            }
            return 0;
        }
    }

    /** Counts of responses in intervals; their length doubles when there are too many. */
    private static final class ResponseTimeline {
        private static final int INTERVALS_MAX = 240;
        private static final int CLASSES = 5;
        private Optional<Instant> start = Optional.empty();
        private long intervalMs = 1_000;
        private long[][] counts = new long[INTERVALS_MAX][CLASSES];
        private int used;

        void add(PageLogEntry entry) {
            var first = start.orElse(entry.time());
            start = Optional.of(first);
            // Lines are in the order of their settlement; the first one is not always the earliest.
            var after = Math.max(0, entry.time().toEpochMilli() - first.toEpochMilli());
            while (after / intervalMs >= INTERVALS_MAX) {
                merge();
            }
            var at = (int) (after / intervalMs);
            used = Math.max(used, at + 1);
            counts[at][classOf(entry)]++;
        }

        private void merge() {
            var merged = new long[INTERVALS_MAX][CLASSES];
            for (var i = 0; i < INTERVALS_MAX; i++) {
                for (var j = 0; j < CLASSES; j++) {
                    merged[i / 2][j] += counts[i][j];
                }
            }
            counts = merged;
            intervalMs *= 2;
            used = (used + 1) / 2;
        }

        private static int classOf(PageLogEntry entry) {
            var hundreds = entry.status() / 100;
            if (entry.kind() == Kind.FAILED && hundreds < 4) {
                return 4;
            }
            return hundreds <= 2 ? 0 : Math.min(hundreds, 5) - 2;
        }

        JobReport.Timeline toTimeline() {
            var intervals = new ArrayList<JobReport.Interval>();
            for (var i = 0; i < used; i++) {
                var each = counts[i];
                intervals.add(new JobReport.Interval(each[0], each[1], each[2], each[3], each[4]));
            }
            return new JobReport.Timeline(start, intervalMs, intervals);
        }
    }
}
