package dev.orbweaver.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.export.VisitDifference;
import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.internal.archive.Tombstones;
import dev.orbweaver.internal.archive.VisitHistory;
import dev.orbweaver.internal.engine.ChangeLogReader;
import dev.orbweaver.internal.engine.ChangeLogReader.Change;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.internal.sink.CaptureReader;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.server.EventHub.Event;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Streams the changes that the visits of a job find. The id of an event is the number of the
 * visit's line in the page log, so a client that reconnects receives all changes after its last
 * one, however long ago that was.
 */
final class ChangesApi {

    private static final int BATCH = 500;
    private static final long POLL_MILLIS = 500;

    private final Jobs jobs;
    private final JobsApi jobsApi;
    private final AccessControl accessControl;
    private final ConcurrencyLimiter concurrencyLimiter;
    private final long heartbeatMillis;
    private volatile boolean closed;

    ChangesApi(
            Jobs jobs,
            JobsApi jobsApi,
            AccessControl accessControl,
            int clientsMax,
            long heartbeatMillis) {
        this.accessControl = accessControl;
        this.jobs = jobs;
        this.jobsApi = jobsApi;
        this.concurrencyLimiter =
                new ConcurrencyLimiter(
                        clientsMax,
                        Math.max(1, clientsMax / 2),
                        "The limit of change subscribers, in total or for this caller, is"
                                + " reached.");
        this.heartbeatMillis = heartbeatMillis;
    }

    void listen(ApiCall apiCall) throws Exception {
        var job = jobsApi.job(apiCall);
        var from = EventsApi.lastEventId(apiCall);
        var context = apiCall.context();
        context.header("Cache-Control", "no-store").header("X-Accel-Buffering", "no");
        context.contentType("text/event-stream; charset=utf-8");
        if (context.method().name().equals("HEAD")) {
            return;
        }
        var directory = jobs.directory(job.id());
        var after = from.isPresent() ? from.getAsLong() : ChangeLogReader.last(directory);
        var hidden = new StoredCrawl(directory, jobs.config(job)).tombstones();
        try (var _ = concurrencyLimiter.acquire(apiCall)) {
            var out = new ResponseStream(context.res().getOutputStream());
            out.write(": connected\nretry: 2000\n\n".getBytes(UTF_8));
            out.flush();
            send(apiCall, job, after, hidden, out);
        } catch (ClientDisconnectedException e) {
            // The normal end of a stream. Other exceptions are errors.
        }
    }

    /** The lines of the main text that a change has removed and added. */
    private record Difference(
            long seq,
            long before,
            String kind,
            String url,
            Instant time,
            Instant since,
            List<String> removed,
            List<String> added,
            int linesOmitted,
            boolean unreadable) {}

    /** Sends the text that has changed between a visit and the one before. */
    void get(ApiCall apiCall) throws Exception {
        var job = jobsApi.job(apiCall);
        var directory = jobs.directory(job.id());
        var change =
                find(directory, apiCall.seq())
                        .filter(ChangeJson::hasText)
                        .orElseThrow(() -> notFound(apiCall));
        var pages = StoredCrawl.pages(List.of(directory), jobs.table());
        var captures = new CaptureReader(directory);
        var bytes = jobs.committedLogBytes(job.id());
        var after = captures.find(change.seq(), bytes).orElseThrow(() -> notFound(apiCall));
        var before =
                change.before() == change.seq()
                        ? Optional.<PageLogEntry>empty()
                        : captures.find(change.before(), bytes)
                                .filter(entry -> !VisitHistory.isNotFound(entry));
        var hidden = new StoredCrawl(directory, jobs.config(job)).tombstones();
        if (hidden.covers(change.url())) {
            throw notFound(apiCall);
        }
        var text =
                VisitDifference.of(
                        pages,
                        before.map(entry -> new StoredPage(0, entry)),
                        new StoredPage(0, after));
        apiCall.json(
                new Difference(
                        change.seq(),
                        change.before(),
                        change.kind(),
                        change.url(),
                        change.time(),
                        change.since(),
                        text.removed(),
                        text.added(),
                        text.linesOmitted(),
                        text.unreadable()));
    }

    private static Optional<Change> find(Path directory, long seq) throws IOException {
        if (!ChangeLogReader.exists(directory)) {
            return Optional.empty();
        }
        try (var reader = ChangeLogReader.open(directory, seq - 1)) {
            return reader.next(1).stream().filter(change -> change.seq() == seq).findFirst();
        }
    }

    private static ProblemException notFound(ApiCall apiCall) {
        return ProblemException.of(
                ProblemException.NOT_FOUND,
                "Job %d has no change of text in line %d."
                        .formatted(apiCall.job().number(), apiCall.seq()));
    }

    private boolean isOpen(ApiCall apiCall, JobRecord job) {
        return !closed && jobs.find(job.id()).isPresent() && accessControl.isStillValid(apiCall);
    }

    private void send(
            ApiCall apiCall, JobRecord job, long after, Tombstones hidden, ResponseStream out)
            throws IOException, ClientDisconnectedException, InterruptedException {
        var directory = jobs.directory(job.id());
        var silent = 0L;
        while (isOpen(apiCall, job) && !ChangeLogReader.exists(directory)) {
            silent = pause(silent, out);
        }
        if (!ChangeLogReader.exists(directory)) {
            return;
        }
        try (var reader = ChangeLogReader.open(directory, after)) {
            while (isOpen(apiCall, job)) {
                var changes = reader.next(BATCH);
                for (var change : changes) {
                    if (!hidden.covers(change.url())) {
                        var json = ChangeJson.of(job.id(), change);
                        out.write(Event.of("change", OptionalLong.of(change.seq()), json).bytes());
                    }
                }
                out.flush();
                silent = changes.isEmpty() ? pause(silent, out) : 0;
            }
        }
    }

    /** Waits; a comment from time to time shows whether the client is still there. */
    private long pause(long silent, ResponseStream out)
            throws ClientDisconnectedException, InterruptedException {
        Thread.sleep(POLL_MILLIS);
        if (silent + POLL_MILLIS < heartbeatMillis) {
            return silent + POLL_MILLIS;
        }
        out.write(": beat\n\n".getBytes(UTF_8));
        out.flush();
        return 0;
    }

    /** Ends all streams. */
    void close() {
        closed = true;
    }
}
