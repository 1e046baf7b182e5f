package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.archive.CommittedCrawl;
import dev.orbweaver.internal.archive.CrawlArchive;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.MainTextComparison;
import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.internal.archive.VisitHistory;
import dev.orbweaver.internal.crawl.HttpDate;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.revisit.Observation;
import dev.orbweaver.internal.revisit.PageState;
import dev.orbweaver.internal.revisit.RevisitSchedule;
import dev.orbweaver.internal.revisit.Signal;
import dev.orbweaver.internal.robots.SitemapParser;
import dev.orbweaver.internal.sink.CaptureReader;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.sink.PageLogPosition;
import dev.orbweaver.internal.sink.PageLogReader;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Follows the page log of a crawl, and tells the schedule of its pages what each visit found.
 *
 * <p>Everything that the schedule knows is derived from committed lines, so nothing of it is on the
 * crawl's hot path. The position in the log is stored after the schedule; a crash repeats lines,
 * which changes nothing. Contents are read only if the payload of a known page is different: to
 * compare its main text with that of the visit before, or to read the dates in a sitemap or feed.
 */
final class RevisitFollower implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(RevisitFollower.class);

    private static final int BATCH = 256;
    private static final String POSITION = DirectoryLayout.REVISITS;

    private static final long FIRST_LINE = 1;

    /** How many visits before are read to find when a page was first missing. */
    private static final int MISSING_MAX = 8;

    /** How many links are followed back to see whether a page is new. */
    private static final int PARENTS_MAX = 16;

    /** A synced position is stored this often, with all that it says was applied. */
    private static final Duration SYNC_INTERVAL = Duration.ofSeconds(5);

    private final CommittedCrawl crawl;
    private final RevisitSchedule schedule;
    private final MainTextComparison texts;
    private final PageImportance importance;
    private final CrawlArchive archive;
    private final CaptureReader captures;
    private final PageLogReader reader;
    private final PositionFile positions;
    private final ChangeLog changes;
    private final boolean synced;
    private final InstantSource clock;
    private PageLogPosition applied;
    private Instant stored;
    private boolean isStored = true;
    private long skipTo;

    /** When the first line of the log was written; no visit is earlier. */
    private Optional<Instant> begun = Optional.empty();

    /** Returns how important a page is, see {@link dev.orbweaver.internal.revisit.Importance}. */
    interface PageImportance {
        double of(CrawlUrl url, int depth);
    }

    /**
     * @param synced whether the position survives a loss of power
     */
    RevisitFollower(
            CommittedCrawl crawl,
            RevisitSchedule schedule,
            Optional<MainTextComparison> texts,
            PageImportance importance,
            boolean synced,
            InstantSource clock)
            throws IOException {
        this.synced = synced;
        this.clock = clock;
        this.stored = clock.instant();
        this.crawl = crawl;
        this.schedule = schedule;
        this.importance = importance;
        this.texts = texts.orElse(RevisitFollower::compareSketches);
        this.archive = new CrawlArchive(crawl.directory(), Optional.empty(), crawl.urls());
        this.captures = new CaptureReader(crawl.directory());
        this.reader = PageLogReader.open(crawl.directory(), this::committedBytes);
        this.positions = PositionFile.open(crawl.directory(), POSITION, synced);
        var last = schedule.pages() == 0 ? PageLogPosition.START : positions.read();
        this.applied = last;
        if (!reader.seek(last)) {
            skipTo = last.seq(); // The log was compacted: its lines have moved.
        }
        this.changes = ChangeLog.open(crawl.directory(), last.seq());
    }

    private long committedBytes() {
        return crawl.committedLengths().get().stream()
                .filter(each -> each.name().equals(DirectoryLayout.PAGE_LOG))
                .mapToLong(CommittedLength::length)
                .findFirst()
                .orElse(0);
    }

    /** Without a program that extracts main texts, two visits are compared by their sketches. */
    private static MainTextComparison.Result compareSketches(StoredPage before, StoredPage after) {
        return before.entry().simHash() == after.entry().simHash()
                        && before.minHash().equals(after.minHash())
                        && !after.minHash().isEmpty()
                ? MainTextComparison.Result.SAME_TEXT
                : MainTextComparison.Result.DIFFERENT_TEXT;
    }

    /**
     * Processes the next committed lines.
     *
     * @return whether there were any
     */
    boolean follow() throws IOException {
        var lines = reader.next(BATCH);
        for (var line : lines) {
            if (line.entry().seq() > skipTo) {
                observe(line.entry());
            }
        }
        if (!lines.isEmpty()) {
            applied = reader.position();
            isStored = false;
        }
        if (!isStored && (!synced || !clock.instant().isBefore(stored.plus(SYNC_INTERVAL)))) {
            storePosition();
        }
        return !lines.isEmpty();
    }

    /** Stores how far the log was read. With a synced position, what it says is synced before. */
    private void storePosition() throws IOException {
        if (synced) {
            changes.force();
            schedule.force();
        }
        positions.write(applied);
        stored = clock.instant();
        isStored = true;
    }

    private void observe(PageLogEntry entry) throws IOException {
        var url = crawl.urls().parse(entry.url());
        if (url.isEmpty() || entry.kind() == Kind.ROBOTS) {
            return;
        }
        if (entry.visit().isFirst()) {
            if (isRevisited(entry, url.get())) {
                observe(entry, url.get(), Observation.Result.NEW, changedAt(entry));
                readSignals(entry);
                if (entry.kind() == Kind.PAGE
                        && schedule.batch() > 0
                        && isFoundByLaterVisit(entry)) {
                    record(entry, entry, ChangeLog.Kind.NEW);
                }
            }
            return;
        }
        var before = captures.find(entry.parent(), committedBytes());
        var result = result(entry, before);
        var isChange = result == Observation.Result.CHANGED;
        observe(entry, url.get(), result, isChange ? changedAt(entry) : Optional.empty());
        if (isChange || result == Observation.Result.BOILERPLATE) {
            readSignals(entry);
        }
    }

    /** Returns whether a page is linked from one that was visited again, or from a new page. */
    private boolean isFoundByLaterVisit(PageLogEntry entry) throws IOException {
        var parent = entry.parent();
        for (var i = 0; i < PARENTS_MAX && parent > 0; i++) {
            var found = captures.find(parent, committedBytes());
            if (found.isEmpty()) {
                return false;
            }
            if (!found.get().visit().isFirst()) {
                return true;
            }
            parent = found.get().parent();
        }
        return false;
    }

    /** Returns whether a URL is worth another visit: not one that was missing from the start. */
    private boolean isRevisited(PageLogEntry entry, CrawlUrl url) {
        return switch (entry.kind()) {
            case PAGE, SITEMAP -> true;
            case REDIRECT -> !RecrawlList.isRedirectToItself(entry, url, crawl.urls());
            case ERROR, FAILED, RETRIED, WITHDRAWN, ROBOTS -> false;
        };
    }

    private void observe(
            PageLogEntry entry,
            CrawlUrl url,
            Observation.Result result,
            Optional<Instant> changedAt)
            throws IOException {
        var hashes = hashes(url);
        schedule.observe(
                new Observation(
                        entry.seq(),
                        entry.firstLine(),
                        hashes.url(),
                        hashes.pattern(),
                        hashes.host(),
                        entry.time(),
                        importance.of(url, entry.depth()),
                        result,
                        changedAt,
                        role(entry)));
    }

    /** Returns what is learned from a page. Other XML than feeds has no links. */
    private static Observation.Role role(PageLogEntry entry) {
        if (entry.kind() == Kind.SITEMAP || (ListedChanges.isList(entry) && entry.links() > 0)) {
            return Observation.Role.LIST;
        }
        return entry.depth() == 0 ? Observation.Role.SEED : Observation.Role.PAGE;
    }

    private UrlHashes hashes(CrawlUrl url) {
        return UrlHashes.of(url, crawl.urls().key());
    }

    private Observation.Result result(PageLogEntry entry, Optional<PageLogEntry> before)
            throws IOException {
        if (VisitHistory.isNotFound(entry)) {
            missing(entry, before);
            return Observation.Result.GONE;
        }
        if (!VisitHistory.isResponse(entry) || entry.kind() == Kind.ERROR) {
            return Observation.Result.NO_RESPONSE;
        }
        if (before.isEmpty()) {
            return Observation.Result.CHANGED;
        }
        var last = before.get();
        if (VisitHistory.isNotFound(last)) {
            record(entry, last, ChangeLog.Kind.BACK);
            return Observation.Result.CHANGED;
        }
        if (isSame(entry, last)) {
            return Observation.Result.UNCHANGED;
        }
        if (entry.kind() == Kind.SITEMAP) {
            return Observation.Result.CHANGED; // What is new in it are the pages that it lists.
        }
        var sameText =
                entry.kind() == Kind.PAGE
                        && last.kind() == Kind.PAGE
                        && compare(last, entry) == MainTextComparison.Result.SAME_TEXT;
        record(entry, last, sameText ? ChangeLog.Kind.MARKUP : ChangeLog.Kind.TEXT);
        return sameText ? Observation.Result.BOILERPLATE : Observation.Result.CHANGED;
    }

    private static boolean isSame(PageLogEntry entry, PageLogEntry last) {
        return entry.status() == 304
                || (entry.kind() == last.kind()
                        && (entry.kind() == Kind.REDIRECT
                                ? entry.location().equals(last.location())
                                : entry.digest().equals(last.digest())
                                        && !entry.digest().isEmpty()));
    }

    private MainTextComparison.Result compare(PageLogEntry before, PageLogEntry after) {
        try {
            return texts.compare(new StoredPage(0, before), new StoredPage(0, after));
        } catch (IOException e) {
            LOG.warn(
                    "could not compare two visits of {}; it counts as changed: {}",
                    after.url(),
                    e.getMessage());
            return MainTextComparison.Result.UNREADABLE;
        }
    }

    /** Records that a page is missing, and once more when that is confirmed. */
    private void missing(PageLogEntry entry, Optional<PageLogEntry> before) throws IOException {
        var last = before;
        if (last.isEmpty()) {
            return;
        }
        if (!VisitHistory.isNotFound(last.get())) {
            record(entry, last.get(), ChangeLog.Kind.MISSING);
            return;
        }
        var first = last.get();
        for (var i = 0; i < MISSING_MAX && VisitHistory.isNotFound(last.get()); i++) {
            first = last.get();
            last = captures.find(first.parent(), committedBytes());
            if (last.isEmpty()) {
                break;
            }
        }
        var confirmed = first.time().plus(PageState.CONFIRMED_AFTER);
        if (!entry.time().isBefore(confirmed) && before.get().time().isBefore(confirmed)) {
            record(entry, before.get(), ChangeLog.Kind.GONE);
        }
    }

    private void record(PageLogEntry entry, PageLogEntry last, ChangeLog.Kind kind)
            throws IOException {
        changes.add(
                new ChangeLog.Change(
                        entry.seq(), last.seq(), kind, entry.url(), entry.time(), last.time()));
    }

    /** Returns when a server says that a page changed, unless that is no possible time. */
    private Optional<Instant> changedAt(PageLogEntry entry) {
        if (!entry.isStored()) {
            return Optional.empty();
        }
        try (var response = captures.open(entry)) {
            return response.head()
                    .field("last-modified")
                    .flatMap(HttpDate::parse)
                    .filter(at -> at.isBefore(entry.time()));
        } catch (IOException e) {
            LOG.debug("no date of {}: {}", entry.url(), e.getMessage());
            return Optional.empty();
        }
    }

    /** Reads the dates of the pages that a sitemap or feed lists. */
    private void readSignals(PageLogEntry entry) throws IOException {
        if (!ListedChanges.isList(entry) || !entry.isStored()) {
            return;
        }
        var earliest = begun();
        var signals = new ArrayList<Signal>();
        try {
            var document = archive.response(new StoredPage(0, entry)).document();
            var listed =
                    SitemapParser.parse(
                            document.bytes(),
                            document.length(),
                            document.contentType(),
                            entry.url());
            for (var page : listed.entries()) {
                var url = crawl.urls().parse(page.url());
                if (url.isPresent() && page.lastModified().filter(earliest::isBefore).isPresent()) {
                    signals.add(hashes(url.get()).signal(page.lastModified().get()));
                }
            }
        } catch (IOException e) {
            LOG.warn("could not read the dates in {}: {}", entry.url(), e.getMessage());
        }
        schedule.signals(signals, entry.time());
    }

    private Instant begun() throws IOException {
        if (begun.isEmpty()) {
            begun =
                    Optional.of(
                            captures.find(FIRST_LINE, committedBytes())
                                    .map(PageLogEntry::time)
                                    .orElse(Instant.EPOCH)); // It was compacted away.
        }
        return begun.get();
    }

    /** Counts a push for pages that changed, according to their site. */
    void changed(List<CrawlUrl> urls, Instant at) throws IOException {
        schedule.signals(urls.stream().map(url -> hashes(url).signal(at)).toList(), at);
    }

    /** Returns the line of a page's last visit. */
    Optional<PageLogEntry> line(long number) throws IOException {
        return captures.find(number, committedBytes());
    }

    static CrawlPages pages(CommittedCrawl crawl) throws IOException {
        return new CrawlPages(
                List.of(new CrawlArchive(crawl.directory(), Optional.empty(), crawl.urls())),
                crawl.tombstones());
    }

    @Override
    public void close() throws IOException {
        try (reader;
                positions;
                changes) {
            if (!isStored) {
                storePosition();
            }
            schedule.force();
        }
    }
}
