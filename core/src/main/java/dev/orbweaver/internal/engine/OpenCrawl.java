package dev.orbweaver.internal.engine;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.CountingDisk;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.DirectoryLock;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.frontier.JobHosts;
import dev.orbweaver.internal.seeds.SeedReader;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.CrawlReport;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.TransferStats;
import dev.orbweaver.spi.PageHandlerException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A crawl that is open in a directory: runs it, and steers it while it runs.
 *
 * <p>A crawl with a retention is closed and opened again whenever captures are to be dropped:
 * opening applies the retention. So a pass is the same as the one before a run, with the same
 * safety against kills, and everything that follows the page log finds its place as after any other
 * opening. The directory stays locked, and figures and limits of the run go on.
 *
 * <p>Methods other than {@link #run} and {@link #close} may be called from any thread.
 */
public final class OpenCrawl implements AutoCloseable {

    private static final String PASS =
            "the retention: old captures are being dropped, and fetching continues after that";

    private static final Logger LOG = LoggerFactory.getLogger(OpenCrawl.class);

    private final DirectoryLock lock;
    private final SessionOpener opener;
    private final RunHistory history;
    private final InstantSource clock;
    private final Disk disk;
    private final AtomicBoolean ran = new AtomicBoolean();
    private volatile CrawlSession session;

    /** During a pass of the retention, and after one that failed: the status before it. */
    private volatile Optional<CrawlStatus> statusBefore = Optional.empty();

    private volatile Optional<CrawlReport> reportOfPass = Optional.empty();
    private TransferStats usageBefore = TransferStats.NONE; // Guarded by this.

    /**
     * Whether the session is closed for a pass, and its usage is part of {@code usageBefore}.
     * Guarded by this.
     */
    private boolean isClosed;

    private Optional<Duration> stopGrace = Optional.empty(); // Guarded by this.
    private boolean paused; // Guarded by this.

    /** Opens the parts of a crawl whose directory is locked. */
    interface SessionOpener {
        CrawlSession open(CrawlConfig config, RunHistory history) throws IOException;
    }

    private OpenCrawl(
            DirectoryLock lock,
            SessionOpener opener,
            RunHistory history,
            InstantSource clock,
            Disk disk,
            CrawlSession session) {
        this.lock = lock;
        this.opener = opener;
        this.history = history;
        this.clock = clock;
        this.disk = disk;
        this.session = session;
    }

    /** Locks a directory and opens its crawl; the lock is released if that fails. */
    static OpenCrawl open(
            Path directory,
            CrawlConfig config,
            boolean canContinue,
            InstantSource clock,
            Disk disk,
            SessionOpener opener)
            throws IOException {
        var lock = StoredCrawl.lock(directory);
        try {
            var history = new RunHistory(canContinue);
            var session = opener.open(config, history);
            return new OpenCrawl(lock, opener, history, clock, disk, session);
        } catch (IOException | RuntimeException | Error e) {
            try (lock) {
                throw e;
            }
        }
    }

    /** A sentence for each piece of output that opening moved aside, because no commit names it. */
    public List<String> recovered() {
        return session.recovered();
    }

    /** Crawls until the end, writes the summary, and says what end it was. */
    public CrawlEnd run() throws InterruptedException, IOException {
        if (ran.getAndSet(true)) {
            throw new IllegalStateException(
                    "run was already called; close the crawl and open it again to resume it");
        }
        var end = session.run();
        while (mustContinueAfter(end)) {
            var exceeded = dropCaptures();
            if (exceeded.isPresent()) {
                return exceeded.get();
            }
            end = session.run();
        }
        session.finish(end);
        return end;
    }

    private synchronized boolean mustContinueAfter(CrawlEnd end) {
        return end.reason() == CrawlEnd.Reason.STOPPED
                && stopGrace.isEmpty()
                && session.mustDropCaptures();
    }

    /**
     * Closes the crawl and opens it again.
     *
     * @return the end of the crawl, if it was stopped meanwhile, or if the captures that are kept
     *     exceed the retention
     */
    private Optional<CrawlEnd> dropCaptures() throws IOException {
        var before = session;
        var begun = clock.instant();
        var status = before.status();
        statusBefore = Optional.of(during(status));
        before.saveState();
        before.addToHistory();
        before.close();
        synchronized (this) {
            usageBefore = usageBefore.plus(before.usage());
            isClosed = true;
        }
        ProgressWriter.write(before.directory(), during(status));
        CrawlSession next;
        try {
            next = opener.open(before.config(), history);
        } catch (RetentionExceededException e) {
            return Optional.of(endOf(CrawlEnd.Reason.RETENTION, e, before, status));
        } catch (InterruptedIOException e) {
            return Optional.of(endOf(CrawlEnd.Reason.STOPPED, e, before, status));
        } catch (IOException e) {
            LOG.error("could not drop old captures of {}", before.directory(), e);
            return Optional.of(endOf(CrawlEnd.Reason.BROKEN, e, before, status));
        }
        history.passed(
                new RunHistory.Pass(clock.instant(), Duration.between(begun, clock.instant())));
        synchronized (this) {
            session = next;
            isClosed = false;
            statusBefore = Optional.empty();
            stopGrace.ifPresent(next::stop);
            if (paused) {
                next.pause();
            }
        }
        return Optional.empty();
    }

    private CrawlEnd endOf(
            CrawlEnd.Reason reason, IOException e, CrawlSession before, CrawlStatus status)
            throws IOException {
        var end = new CrawlEnd(reason, String.valueOf(e.getMessage()));
        var report =
                CrawlReports.of(
                        status,
                        history.network(),
                        before.responseCounts(),
                        end,
                        history.started(),
                        history.pagesBefore());
        reportOfPass = Optional.of(report);
        AtomicFile.write(disk, before.directory().resolve(DirectoryLayout.REPORT), report.toJson());
        disk.delete(before.directory().resolve(DirectoryLayout.PROGRESS));
        return end;
    }

    private static CrawlStatus during(CrawlStatus status) {
        return new CrawlStatus(
                status.frontier(),
                status.nextWork(),
                status.elapsed(),
                0,
                0,
                status.paused(),
                status.stopping(),
                Optional.of(PASS),
                status.governor(),
                status.timeProfile());
    }

    /** Returns the exception of the page handler that ended the crawl. */
    public Optional<PageHandlerException> handlerFailure() {
        return session.handlerFailure();
    }

    /** What came of it: after the end, what was written then. */
    public CrawlReport summary(CrawlEnd end) {
        return reportOfPass.orElseGet(() -> session.summary(end));
    }

    /** How it stands. */
    public CrawlStatus status() {
        return statusBefore.orElseGet(session::status);
    }

    /** The hosts with work, those being asked first. */
    public JobHosts hosts(int max) {
        return statusBefore.isPresent() ? JobHosts.NONE : session.hosts(max);
    }

    /** How far the seed lists have been read. */
    public SeedReader.Progress seedProgress() {
        return session.seedProgress();
    }

    /** Counts URLs as announced by their site now, for tests in virtual time. */
    void changed(List<CrawlUrl> urls, Instant at) throws IOException {
        session.changed(urls.stream().map(config().urls()::rekeyed).toList(), at);
    }

    /** Asks the crawl to end within the grace period. */
    public synchronized void stop(Duration grace) {
        stopGrace = Optional.of(stopGrace.filter(it -> it.compareTo(grace) < 0).orElse(grace));
        history.stop();
        session.stop(grace);
    }

    /** Takes no new URLs until {@link #resume}. */
    public synchronized void pause() {
        paused = true;
        session.pause();
    }

    /** Goes on after {@link #pause}. */
    public synchronized void resume() {
        paused = false;
        session.resume();
    }

    /** Returns the settings, with the changes that were made while it runs. */
    public CrawlConfig config() {
        return session.config();
    }

    /** Changes a setting that can be changed while the crawl runs, and stores it. */
    public void reconfigure(String setting, String value) throws ConfigException, IOException {
        if (statusBefore.isPresent()) {
            throw new IOException("setting " + setting + " cannot be changed now: " + PASS);
        }
        session.reconfigure(setting, value);
    }

    /** Where its files are. */
    public Path directory() {
        return session.directory();
    }

    /** How the stores that follow it stand; after the end, how far they came. */
    public List<SinkStatus> sinkStatus() {
        return session.sinkStatus();
    }

    /** What it has moved since it was opened; also when it is closed. */
    public synchronized TransferStats usage() {
        return isClosed ? usageBefore : usageBefore.plus(session.usage());
    }

    /** What was written for a frontier. */
    public static TransferStats usage(CountingDisk frontier) {
        return new TransferStats(
                0, 0, Map.of(DirectoryLayout.FRONTIER, frontier.bytesWritten()), Map.of());
    }

    @Override
    public void close() throws IOException {
        try (lock) {
            if (!isSessionClosed()) { // A pass that failed may leave a session that is closed.
                session.close();
            }
        }
    }

    private synchronized boolean isSessionClosed() {
        return isClosed;
    }
}
