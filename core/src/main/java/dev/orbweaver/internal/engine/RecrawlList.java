package dev.orbweaver.internal.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.VisitHistory;
import dev.orbweaver.internal.crawl.CrawlSettings;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.SeedBatch;
import dev.orbweaver.internal.seeds.SeedLine;
import dev.orbweaver.internal.seeds.SeedList;
import dev.orbweaver.internal.seeds.SeedListReader;
import dev.orbweaver.internal.sink.LineSet;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.CrawlReport;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Adds the seed list of URLs that a crawl visits again.
 *
 * <p>A crawl reads the list as any other: in batches, each stored with the position after it. So a
 * URL of the list is queued once, also after a kill. A URL whose last visit is in an earlier list
 * is left out while it is still queued: until a crawl has completed since, or the log has a line of
 * the visit. One without a response repeats nothing, so its URL can be in a list again.
 */
public final class RecrawlList {

    /**
     * The result.
     *
     * @param listed URLs to visit again
     * @param pending wanted URLs that an earlier list has and that are still queued
     */
    public record Counts(long listed, long pending) {}

    private final CrawlUrls urls;
    private final LineSet earlier = new LineSet();

    /** How often a visit after a line ended without a response. */
    private final Map<Long, Integer> withoutResponse = new HashMap<>();

    private long pending;

    private RecrawlList(CrawlUrls urls) {
        this.urls = urls;
    }

    /**
     * Adds the list to a crawl, running or not, unless it would be empty.
     *
     * @param pages of one crawl directory
     * @param wanted accepts the last visits of the URLs to visit again
     */
    public static Counts add(CrawlPages pages, Predicate<PageLogEntry> wanted)
            throws IOException, InterruptedException {
        return add(pages, wanted, Optional.empty());
    }

    /**
     * Adds the list to a crawl. Two calls at a time would both list the same visits, so the second
     * one waits and finds the list of the first.
     *
     * @param since when the recrawl began, if the list is not its first one
     */
    public static synchronized Counts add(
            CrawlPages pages, Predicate<PageLogEntry> wanted, Optional<Instant> since)
            throws IOException, InterruptedException {
        var archive = pages.directories().getFirst();
        var list = new RecrawlList(archive.urls());
        list.readEarlier(pages);
        var history = VisitHistory.read(archive, Instant.MAX);
        var listed =
                SeedList.addCopyUnlessEmpty(
                        archive.path(),
                        VisitHistory.LIST_LABEL,
                        out -> {
                            pages.forEachLine(
                                    page -> {
                                        var entry = page.entry();
                                        if (list.isDone(entry)
                                                && history.isLast(entry)
                                                && wanted.test(entry)
                                                && list.isNew(entry)) {
                                            out.line(
                                                    entry.url(),
                                                    "depth=" + entry.depth(),
                                                    "last-visit=" + lastVisit(entry));
                                        }
                                    });
                            var now = Instant.now();
                            out.comment(new Times(now, since.orElse(now)).toString());
                        });
        return new Counts(listed, list.pending);
    }

    /** Returns the limit that ends a crawl before it visits a page again, as a setting. */
    public static Optional<String> limitReached(CrawlSettings.Limits limits, Ledger ledger) {
        if (ledger.pages() >= limits.pages()) {
            return Optional.of("max-pages=" + limits.pages());
        }
        return ledger.bytes() >= limits.bytes()
                ? Optional.of("max-bytes=" + limits.bytes())
                : Optional.empty();
    }

    /** Returns when the last recrawl of a crawl began. */
    public static Optional<Instant> lastBegun(Path crawl) throws IOException {
        var lists =
                SeedList.of(crawl).stream()
                        .filter(list -> list.isOf(VisitHistory.LIST_LABEL))
                        .toList();
        return lists.isEmpty()
                ? Optional.empty()
                : Optional.of(Times.read(lists.getLast().file()).since);
    }

    /**
     * The times of a list. They are its last line: those of the file would not survive a copy.
     *
     * @param listed when the list was complete
     * @param since when its recrawl began
     */
    private record Times(Instant listed, Instant since) {

        private static final Pattern LINE = Pattern.compile("# listed (\\S+), since (\\S+)\n?");
        private static final int BYTES_MAX = 200;

        static Times read(Path list) throws IOException {
            var tail = ByteBuffer.allocate(BYTES_MAX);
            try (var file = FileChannel.open(list)) {
                var start = Math.max(0, file.size() - BYTES_MAX);
                while (tail.hasRemaining() && file.read(tail, start + tail.position()) >= 0) {}
            }
            var text = new String(tail.array(), 0, tail.position(), UTF_8);
            var line = LINE.matcher(text.substring(Math.max(0, text.lastIndexOf("# "))));
            if (!line.matches()) {
                throw new IOException(
                        "%s does not end with its time, so it is damaged; restore it, or delete it to continue without the URLs that are left in it"
                                .formatted(list));
            }
            return new Times(Instant.parse(line.group(1)), Instant.parse(line.group(2)));
        }

        @Override
        public String toString() {
            return "listed %s, since %s".formatted(listed, since);
        }
    }

    private void readEarlier(CrawlPages pages) throws IOException {
        var crawl = pages.directories().getFirst().path();
        var settled = completedAt(crawl);
        var lists = new ArrayList<SeedList>();
        for (var list : SeedList.of(crawl)) {
            if (list.isOf(VisitHistory.LIST_LABEL)
                    && Times.read(list.file()).listed.isAfter(settled)) {
                lists.add(list);
            }
        }
        if (!lists.isEmpty()) {
            pages.forEachLine(page -> addWithoutResponse(page.entry()));
            readEarlier(lists);
        }
    }

    private void readEarlier(List<SeedList> lists) throws IOException {
        for (var list : lists) {
            try (var lines = new SeedListReader(list.file(), 0)) {
                while (lines.position() < list.bytes()) {
                    if (SeedLine.parse(lines.next(), urls) instanceof SeedLine.Again(var revisit)) {
                        addEarlier(revisit.last().line());
                    }
                }
            }
        }
    }

    /** Returns when the last run ended with nothing queued; every URL of older lists is settled. */
    private static Instant completedAt(Path crawl) throws IOException {
        return CrawlReports.read(crawl)
                .filter(report -> report.end().reason() == CrawlEnd.Reason.COMPLETE)
                .map(report -> Instant.parse(report.started()).plusMillis(millis(report)))
                .orElse(Instant.MIN);
    }

    private static long millis(CrawlReport report) {
        return (long) (report.seconds() * 1_000);
    }

    private void addWithoutResponse(PageLogEntry entry) {
        if (!entry.visit().isFirst()
                && (entry.kind() == Kind.FAILED || entry.kind() == Kind.WITHDRAWN)) {
            withoutResponse.merge(entry.parent(), 1, Integer::sum);
        }
    }

    private void addEarlier(long line) {
        if (withoutResponse.getOrDefault(line, 0) == 0) {
            earlier.add(line);
        } else {
            withoutResponse.merge(line, -1, Integer::sum);
        }
    }

    /** Returns whether a line settled its URL; a redirect to another spelling of it did not. */
    private boolean isDone(PageLogEntry entry) {
        var url = urls.parse(entry.url());
        return url.isPresent()
                && VisitHistory.isResponse(entry)
                && !isRedirectToItself(entry, url.get(), urls);
    }

    /** Returns whether a line is a redirect to another spelling of its URL. */
    static boolean isRedirectToItself(PageLogEntry entry, CrawlUrl url, CrawlUrls urls) {
        return entry.kind() == Kind.REDIRECT
                && urls.resolve(url, entry.location())
                        .filter(target -> target.key().equals(url.key()))
                        .isPresent();
    }

    /** Returns a URL to queue for another visit after the one of a line. */
    static Optional<SeedBatch.Revisit> revisit(PageLogEntry entry, CrawlUrls urls) {
        return urls.parse(entry.url())
                .map(
                        url -> {
                            var last = lastVisit(entry);
                            return new SeedBatch.Revisit(
                                    new Candidate(url, last.hop(), entry.depth(), 0),
                                    last.capture(),
                                    last.page());
                        });
    }

    private boolean isNew(PageLogEntry entry) {
        var queued = earlier.contains(entry.seq());
        if (queued) {
            pending++;
        }
        return !queued;
    }

    private static SeedLine.LastVisit lastVisit(PageLogEntry entry) {
        var hop =
                entry.kind() == Kind.SITEMAP
                        ? Hop.SITEMAP
                        : entry.parent() == 0 ? Hop.SEED : Hop.LINK;
        return new SeedLine.LastVisit(
                hop, entry.kind() == Kind.PAGE, CaptureRef.ofLine(entry.seq()));
    }
}
