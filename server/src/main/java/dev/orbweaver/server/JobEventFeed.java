package dev.orbweaver.server;

import com.fasterxml.jackson.annotation.JsonUnwrapped;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.export.PageContents;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.explain.PageLogIndex;
import dev.orbweaver.internal.frontier.HostView;
import dev.orbweaver.internal.jobs.FailureText;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.sink.PageLogReader;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.server.EventHub.Event;
import dev.orbweaver.server.search.PageIndex;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Tails a job's page log, publishes events to subscribers, and updates the search index.
 *
 * <p>Lines and state changes are published under one lock, so that each subscriber receives them in
 * the order of their ids, without gaps or repetitions. At a high rate only some lines are published
 * live; a client that reconnects receives all of them.
 */
final class JobEventFeed implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(JobEventFeed.class);
    private static final int LINE_BATCH = 500;
    private static final int INDEX_BATCH = 100;
    private static final int EVENTS_PER_SECOND = 40;
    private static final int HOSTS_MAX = 50;
    private static final Duration INDEX_RETRY_INTERVAL = Duration.ofMinutes(1);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(250);

    /** The data of the event {@code state}. */
    private record StateData(JobRecord.State state, String reason, Instant at, JobJson.Job job) {}

    /** The data of the event {@code progress}. */
    private record ProgressData(@JsonUnwrapped JobJson.Progress progress, JobHistory.Point point) {}

    private final Jobs jobs;
    private final JobId id;
    private final EventHub hub = new EventHub();
    private final JobHistory jobHistory;
    private final JobGoals goals;
    private final Latencies latencies = new Latencies();
    private final PageLogReader log;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Duration indexRetryInterval;
    private volatile PageIndex index;
    private volatile String problem = "";
    private final Semaphore newLines = new Semaphore(0);
    private final Semaphore unindexedLines = new Semaphore(0);
    private final Thread publisherThread;
    private final Thread indexerThread;
    private final Map<String, HostView.State> hosts = new HashMap<>();
    private volatile long lastPublished;
    private long currentSecond;
    private final Map<String, Integer> publishedThisSecond = new HashMap<>();
    private volatile Instant lastUsed = Instant.now();
    private volatile boolean closed;

    JobEventFeed(Jobs jobs, JobRecord job) throws IOException, ConfigException {
        this(jobs, job, INDEX_RETRY_INTERVAL);
    }

    /**
     * @param reopenAfter how long to wait before a failed index is reopened
     */
    JobEventFeed(Jobs jobs, JobRecord job, Duration reopenAfter)
            throws IOException, ConfigException {
        this.jobs = jobs;
        this.id = job.id();
        this.indexRetryInterval = reopenAfter;
        this.goals = new JobGoals(jobs);
        this.jobHistory = new JobHistory(jobs.directory(id));
        this.index = openIndex(jobs, job);
        this.log = PageLogReader.open(jobs.directory(id), () -> jobs.committedLogBytes(job.id()));
        try {
            var _ = log.seek(log.end());
        } catch (IOException | RuntimeException e) {
            closeSuppressed(e, log);
            closeSuppressed(e, index);
            throw e;
        }
        this.lastPublished = log.position().seq();
        this.publisherThread =
                Thread.ofVirtual().name("events of job " + id.number()).start(this::publish);
        this.indexerThread =
                Thread.ofVirtual().name("index of job " + id.number()).start(this::runIndexer);
    }

    /** Returns the number of the last page log line, for a caller without a feed. */
    static long lastLine(Jobs jobs, JobId id) throws IOException {
        try (var log = PageLogReader.open(jobs.directory(id), () -> jobs.committedLogBytes(id))) {
            return log.end().seq();
        }
    }

    private static PageIndex openIndex(Jobs jobs, JobRecord job)
            throws IOException, ConfigException {
        var directory = jobs.directory(job.id());
        return PageIndex.open(
                directory,
                new PageContents(jobs.contents(job)),
                new StoredCrawl(directory, jobs.config(job)).tombstones(),
                () -> jobs.committedLogBytes(job.id()));
    }

    /** Why new pages are not indexed; empty if they are. */
    Optional<String> problem() {
        return Optional.of(problem).filter(text -> !text.isEmpty());
    }

    long indexedLines() {
        return index.lastIndexed();
    }

    /** Returns the number of published lines that are not indexed yet. */
    long indexLag() {
        return Math.max(0, lastPublished - index.lastIndexed());
    }

    PageIndex pages() {
        lastUsed = Instant.now();
        var pages = index;
        if (!pages.isOpen()) {
            throw ProblemException.of(
                    ProblemException.UNAVAILABLE,
                    problem().orElse("The search index is being reopened."));
        }
        return pages;
    }

    /** Returns the index as it is; empty after an error, until it is reopened. */
    Optional<PageLogIndex> lineIndex() {
        lastUsed = Instant.now();
        return Optional.<PageLogIndex>of(index).filter(_ -> index.isOpen());
    }

    JobHistory history() {
        return jobHistory;
    }

    Latencies latencies() {
        return latencies;
    }

    EventHub hub() {
        return hub;
    }

    void touch() {
        lastUsed = Instant.now();
    }

    /** Whether the feed was not used for this long, so that it can be closed. */
    boolean isIdle(Duration since) {
        return !hub.hasSubscribers()
                && jobs.status(id).isEmpty()
                && lastUsed.plus(since).isBefore(Instant.now());
    }

    synchronized long lastId(JobRecord job) {
        return EventIds.of(job).lastId(lastPublished);
    }

    void onCommitted() {
        if (newLines.availablePermits() == 0) {
            newLines.release();
        }
        if (unindexedLines.availablePermits() == 0) {
            unindexedLines.release();
        }
    }

    private void publish() {
        while (!closed) {
            try {
                var _ = newLines.tryAcquire(POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
                publishNewLines();
            } catch (InterruptedException e) {
                return;
            } catch (IOException | RuntimeException e) {
                LOG.warn("could not publish events of job {}; retrying", id.number(), e);
            }
        }
    }

    private void runIndexer() {
        while (!closed) {
            try {
                if (index.advance(INDEX_BATCH) == 0) {
                    var _ =
                            unindexedLines.tryAcquire(
                                    POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
                }
            } catch (InterruptedException e) {
                return;
            } catch (IOException | RuntimeException e) {
                reopenIndex(e);
            }
        }
    }

    /** Closes {@code part} and adds a failure to {@code broken} as suppressed. */
    private static void closeSuppressed(Exception broken, Closeable part) {
        try {
            part.close();
        } catch (IOException | RuntimeException e) {
            broken.addSuppressed(e);
        }
    }

    /**
     * Reopens a failed index, which continues from its last commit: a full disk may have space
     * again.
     */
    private void reopenIndex(Exception broken) {
        var why = broken;
        while (true) {
            LOG.error("could not index new pages of job {}", id.number(), why);
            problem =
                    "The search index could not be updated and is retried: %s."
                            .formatted(FailureText.of(why));
            try {
                if (closing.await(indexRetryInterval.toMillis(), TimeUnit.MILLISECONDS)) {
                    return;
                }
                closeSuppressed(broken, index);
                var job = jobs.find(id);
                if (job.isPresent()) {
                    index = openIndex(jobs, job.get());
                    problem = "";
                }
                return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (IOException | ConfigException | RuntimeException e) {
                why = e;
            }
        }
    }

    private synchronized void publishNewLines() throws IOException {
        if (closed) {
            return;
        }
        for (var lines = log.next(LINE_BATCH);
                !lines.isEmpty() && !closed;
                lines = log.next(LINE_BATCH)) {
            for (var line : lines) {
                publish(line.entry());
            }
        }
    }

    private void publish(PageLogEntry entry) {
        if (entry.kind() == Kind.PAGE) {
            latencies.add(entry.milliseconds());
        }
        if (entry.kind() != Kind.WITHDRAWN) {
            jobHistory.count(entry.status());
        }
        lastPublished = entry.seq();
        var type = eventType(entry);
        if (!type.isEmpty() && hub.hasSubscribers() && isWithinRate(type)) {
            jobs.find(id)
                    .ifPresent(job -> publishOrReset(() -> lineEvent(EventIds.of(job), entry)));
        }
    }

    /**
     * Publishes an event. If that fails, subscribers must reconnect, because they would miss it.
     */
    private void publishOrReset(Supplier<Event> made) {
        try {
            hub.publish(made.get());
        } catch (RuntimeException e) {
            LOG.warn(
                    "could not publish an event of job {}; subscribers have to reconnect",
                    id.number(),
                    e);
            hub.publish(Event.RESET);
        }
    }

    private boolean isWithinRate(String type) {
        var now = System.nanoTime() / 1_000_000_000;
        if (now != currentSecond) {
            currentSecond = now;
            publishedThisSecond.clear();
        }
        return publishedThisSecond.merge(type, 1, Integer::sum) <= EVENTS_PER_SECOND;
    }

    /** Returns the event type of a line; empty for lines that are not published. */
    static String eventType(PageLogEntry entry) {
        return switch (entry.kind()) {
            case PAGE, REDIRECT -> "page";
            case ERROR, FAILED -> "error";
            case RETRIED, WITHDRAWN, ROBOTS, SITEMAP -> "";
        };
    }

    private static Event lineEvent(EventIds ids, PageLogEntry entry) {
        var id = OptionalLong.of(ids.ofLine(entry.seq()));
        return Event.of(eventType(entry), id, PageJson.of(entry));
    }

    /**
     * Records a state change after all published lines, and publishes it. It is recorded even if
     * publishing fails; lines that were not published follow it then.
     */
    synchronized JobRecord onStateChange(Jobs.StateWriter stateWriter) throws IOException {
        try {
            publishNewLines();
        } catch (IOException | RuntimeException e) {
            LOG.warn("could not publish events of job {}; retrying", id.number(), e);
        }
        var job = stateWriter.write(lastPublished);
        if (!job.state().isOpen()) {
            endRun(true);
        }
        if (hub.hasSubscribers()) {
            publishOrReset(() -> stateEvent(job, job.changes().size() - 1));
        }
        return job;
    }

    private Event stateEvent(JobRecord job, int index) {
        var change = job.changes().get(index);
        var brief = new JobJson(jobs, goals, Optional.of(this)).brief(job);
        var data = new StateData(change.state(), change.reason(), change.at(), brief);
        return Event.of("state", OptionalLong.of(EventIds.of(job).ofChange(index)), data);
    }

    /**
     * @param lastSeq the last line published before the subscription
     */
    record Subscription(EventHub.Subscriber subscriber, JobRecord job, long lastSeq) {}

    /**
     * Subscribes to all later events. If the feed was closed meanwhile, the subscription ends at
     * once, and the client reconnects to a newly opened feed.
     */
    synchronized Subscription subscribe(JobRecord job) throws IOException {
        publishNewLines();
        var subscriber = hub.subscribe();
        if (closed) {
            hub.publish(Event.END);
        }
        return new Subscription(subscriber, jobs.find(id).orElse(job), lastPublished);
    }

    interface EventSink {
        void send(Event event) throws IOException;
    }

    /** Replays the events after {@code lastId}, up to the start of the subscription. */
    void replay(long lastId, Subscription subscription, EventSink eventSink) throws IOException {
        var ids = EventIds.of(subscription.job());
        var replayStart = ids.replayStart(lastId);
        if (replayStart.changes() < 0 || lastId > ids.lastId(subscription.lastSeq())) {
            eventSink.send(Event.RESET);
            return;
        }
        try (var tail = PageLogTail.open(jobs.directory(id))) {
            var change = replayStart.changes();
            var line = tail.next();
            if (!tail.isComplete()
                    && line.filter(first -> first.seq() > replayStart.seq() + 1).isPresent()) {
                eventSink.send(Event.RESET);
                return;
            }
            for (;
                    line.isPresent() && line.get().seq() <= subscription.lastSeq();
                    line = tail.next()) {
                var entry = line.get();
                while (change < ids.changes().size()
                        && ids.changes().get(change).seq() < entry.seq()) {
                    eventSink.send(stateEvent(subscription.job(), change++));
                }
                if (entry.seq() > replayStart.seq() && !eventType(entry).isEmpty()) {
                    eventSink.send(lineEvent(ids, entry));
                }
            }
            while (change < ids.changes().size()) {
                eventSink.send(stateEvent(subscription.job(), change++));
            }
        }
    }

    /** Adds a point to the charts and publishes progress. Called once a second. */
    void tick(JobRecord job, Instant now) {
        var status = jobs.status(id);
        if (status.isEmpty()) {
            endRun(!job.state().isOpen());
            return;
        }
        var point =
                point(
                        status.get().frontier().ledger(),
                        status.get().openConnections(),
                        jobHistory.takeResponses(),
                        now);
        jobHistory.add(point);
        if (hub.hasSubscribers()) {
            var progress = new JobJson(jobs, goals, Optional.of(this)).progress(job);
            var data = new ProgressData(progress, point);
            hub.publish(Event.of("progress", OptionalLong.empty(), data));
            publishHostChanges();
        }
    }

    private JobHistory.Point point(
            Ledger ledger, int connections, JobHistory.Responses responses, Instant now) {
        var quantiles = latencies.quantiles();
        return new JobHistory.Point(
                now,
                ledger.pages(),
                ledger.dead(),
                ledger.queued(),
                ledger.bytes(),
                jobHistory.rate(ledger.pages(), now),
                quantiles.map(Latencies.Quantiles::p50),
                quantiles.map(Latencies.Quantiles::p95),
                connections,
                responses);
    }

    /** Adds a last point for the responses since the last tick, and ends the run. */
    private void endRun(boolean isOver) {
        var responses = jobHistory.takeResponses();
        if (!responses.equals(JobHistory.Responses.NONE)) {
            try {
                jobHistory.add(point(jobs.stats(id).ledger(), 0, responses, Instant.now()));
            } catch (RuntimeException e) {
                LOG.warn("could not sample the last statistics of job {}", id.number(), e);
            }
        }
        jobHistory.endRun(isOver);
    }

    private void publishHostChanges() {
        var now = new HashMap<String, HostView.State>();
        for (var host : jobs.hosts(id, HOSTS_MAX).first()) {
            now.put(host.host(), host.state());
            if (host.state() != hosts.get(host.host())) {
                hub.publish(Event.of("host", OptionalLong.empty(), JobJson.Host.of(host)));
            }
        }
        hosts.clear();
        hosts.putAll(now);
    }

    @Override
    public void close() throws IOException {
        closed = true;
        closing.countDown();
        synchronized (this) { // A concurrent subscriber receives it, too.
            hub.publish(Event.END);
        }
        onCommitted();
        try {
            publisherThread.join();
            indexerThread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        endRun(false);
        try (log) {
            index.close();
        }
    }
}
