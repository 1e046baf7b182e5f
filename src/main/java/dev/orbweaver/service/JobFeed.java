package dev.orbweaver.service;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.JobRecord;
import dev.orbweaver.Jobs;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.export.PageContents;
import dev.orbweaver.frontier.HostView;
import dev.orbweaver.frontier.JobHosts;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.JobId;
import dev.orbweaver.search.PageIndex;
import dev.orbweaver.service.EventHub.Event;
import dev.orbweaver.sink.PageEntry;
import dev.orbweaver.sink.PageLogReader;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Goes behind the page log of one job: tells those who listen, and keeps the search index up to
 * date.
 *
 * <p>Lines and changes of state are told under one lock, so that everybody hears them in the order
 * of their numbers, and whoever joins misses none and hears none twice. Of many lines a second only
 * some are told as they come: nobody can read them, and who was away is told all of them.
 */
final class JobFeed implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(JobFeed.class);
    private static final int LINES = 500;
    private static final int INDEXED_AT_ONCE = 100;
    private static final int TOLD_A_SECOND = 40;
    private static final int HOSTS = 50;
    private static final Duration MEND_EVERY = Duration.ofMinutes(1);
    private static final Duration LOOK_EVERY = Duration.ofMillis(250);

    private final Jobs jobs;
    private final JobId id;
    private final EventHub hub = new EventHub();
    private final History history = new History();
    private final Latencies latencies = new Latencies();
    private final PageLogReader log;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Duration mendEvery;
    private volatile PageIndex index;
    private volatile String trouble = "";
    private final Semaphore news = new Semaphore(0);
    private final Semaphore unread = new Semaphore(0);
    private final Thread teller;
    private final Thread indexer;
    private final Map<String, HostView.State> hosts = new HashMap<>();
    private long told;
    private long second;
    private final Map<String, Integer> toldThisSecond = new HashMap<>();
    private volatile Instant used = Instant.now();
    private volatile boolean closed;

    JobFeed(Jobs jobs, JobRecord job) throws IOException, ConfigException {
        this(jobs, job, MEND_EVERY);
    }

    /**
     * The same for tests.
     *
     * @param mendEvery how long it waits before an index that failed is opened again
     */
    JobFeed(Jobs jobs, JobRecord job, Duration mendEvery) throws IOException, ConfigException {
        this.jobs = jobs;
        this.id = job.id();
        this.mendEvery = mendEvery;
        this.index = openIndex(jobs, job);
        this.log = PageLogReader.open(jobs.folder(id), () -> jobs.logBytes(job.id()));
        try {
            var _ = log.from(log.end());
        } catch (IOException | RuntimeException e) {
            closeAfter(e, log);
            closeAfter(e, index);
            throw e;
        }
        this.told = log.position().seq();
        this.teller = Thread.ofVirtual().name("events of job " + id.number()).start(this::tell);
        this.indexer = Thread.ofVirtual().name("index of job " + id.number()).start(this::index);
    }

    /** The last line of a job's page log, for those who do not follow it. */
    static long lastLine(Jobs jobs, JobId id) throws IOException {
        try (var log = PageLogReader.open(jobs.folder(id), () -> jobs.logBytes(id))) {
            return log.end().seq();
        }
    }

    private static PageIndex openIndex(Jobs jobs, JobRecord job)
            throws IOException, ConfigException {
        var folder = jobs.folder(job.id());
        return PageIndex.open(
                folder,
                new PageContents(jobs.contents(job)),
                new CrawlDirectory(folder, jobs.config(job)).tombstones(),
                () -> jobs.logBytes(job.id()));
    }

    /** Why new pages cannot be found, if that is so. */
    Optional<String> trouble() {
        return Optional.of(trouble).filter(text -> !text.isEmpty());
    }

    /** How far the index has come. */
    long indexed() {
        return index.indexed();
    }

    PageIndex pages() {
        used = Instant.now();
        var pages = index;
        if (!pages.isOpen()) {
            throw ProblemException.of(
                    ProblemException.UNAVAILABLE,
                    trouble().orElse("The index is being opened again."));
        }
        return pages;
    }

    History history() {
        return history;
    }

    Latencies latencies() {
        return latencies;
    }

    EventHub hub() {
        return hub;
    }

    /** Somebody is about to use it. */
    void touch() {
        used = Instant.now();
    }

    /** Whether it can be closed: nobody has asked for anything for so long. */
    boolean isIdle(Duration since) {
        return !hub.isHeard()
                && jobs.status(id).isEmpty()
                && used.plus(since).isBefore(Instant.now());
    }

    /** The last event's number. */
    synchronized long lastId(JobRecord job) {
        return EventIds.of(job).last(told);
    }

    /** Lines were added. */
    void committed() {
        if (news.availablePermits() == 0) {
            news.release();
        }
        if (unread.availablePermits() == 0) {
            unread.release();
        }
    }

    private void tell() {
        while (!closed) {
            try {
                var _ = news.tryAcquire(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
                deliver();
            } catch (InterruptedException e) {
                return;
            } catch (IOException | RuntimeException e) {
                LOG.warn("job {}: events are late", id.number(), e);
            }
        }
    }

    private void index() {
        while (!closed) {
            try {
                if (index.advance(INDEXED_AT_ONCE) == 0) {
                    var _ = unread.tryAcquire(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
                }
            } catch (InterruptedException e) {
                return;
            } catch (IOException | RuntimeException e) {
                mend(e);
            }
        }
    }

    /** What cannot even be closed is told together with why it is. */
    private static void closeAfter(Exception broken, Closeable part) {
        try {
            part.close();
        } catch (IOException | RuntimeException e) {
            broken.addSuppressed(e);
        }
    }

    /** A disk may have been full for a while: the index goes on where it was last whole. */
    private void mend(Exception broken) {
        var why = broken;
        while (true) {
            LOG.error("job {}: new pages cannot be found by search", id.number(), why);
            trouble =
                    "New pages cannot be found by search, which is tried again: %s."
                            .formatted(why.getMessage());
            try {
                if (closing.await(mendEvery.toMillis(), TimeUnit.MILLISECONDS)) {
                    return;
                }
                closeAfter(broken, index);
                var job = jobs.find(id);
                if (job.isPresent()) {
                    index = openIndex(jobs, job.get());
                    trouble = "";
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

    private synchronized void deliver() throws IOException {
        if (closed) {
            return;
        }
        for (var lines = log.next(LINES); !lines.isEmpty() && !closed; lines = log.next(LINES)) {
            for (var line : lines) {
                tell(line.entry());
            }
        }
    }

    private void tell(PageEntry entry) {
        if (entry.kind() == Kind.PAGE) {
            latencies.add(entry.milliseconds());
        }
        told = entry.seq();
        var type = type(entry);
        if (!type.isEmpty() && hub.isHeard() && isAmongTheFirst(type)) {
            var job = jobs.find(id);
            job.ifPresent(
                    known ->
                            say(
                                    () ->
                                            Event.of(
                                                    type,
                                                    OptionalLong.of(
                                                            EventIds.of(known).ofLine(entry.seq())),
                                                    PageJson.line(entry))));
        }
    }

    /** Who cannot be told of something must not believe that nothing was. */
    private void say(Supplier<Event> made) {
        try {
            hub.say(made.get());
        } catch (RuntimeException e) {
            LOG.warn(
                    "job {}: an event cannot be told, whoever listens begins anew", id.number(), e);
            hub.say(Event.RESET);
        }
    }

    private boolean isAmongTheFirst(String type) {
        var now = System.nanoTime() / 1_000_000_000;
        if (now != second) {
            second = now;
            toldThisSecond.clear();
        }
        return toldThisSecond.merge(type, 1, Integer::sum) <= TOLD_A_SECOND;
    }

    /** What an event of a line is called; empty for lines that nobody is told of. */
    static String type(PageEntry entry) {
        return switch (entry.kind()) {
            case PAGE, REDIRECT -> "page";
            case ERROR, FAILED -> "error";
            case RETRIED, WITHDRAWN, ROBOTS, SITEMAP -> "";
        };
    }

    /**
     * Has a change of state noted down behind all lines that were told, and tells of it. It is
     * noted whatever becomes of the telling: lines that could not be told come behind it then.
     */
    synchronized JobRecord changing(Jobs.Noting noting) throws IOException {
        try {
            deliver();
        } catch (IOException | RuntimeException e) {
            LOG.warn("job {}: events are late", id.number(), e);
        }
        var job = noting.note(told);
        if (hub.isHeard()) {
            say(() -> stateEvent(job, job.changes().size() - 1));
        }
        return job;
    }

    private Event stateEvent(JobRecord job, int index) {
        var change = job.changes().get(index);
        var json = new LinkedHashMap<String, Object>();
        json.put("state", change.state().word());
        json.put("reason", change.reason());
        json.put("at", change.at().toString());
        json.put("job", new JobJson(jobs, Optional.of(this)).brief(job));
        return Event.of("state", OptionalLong.of(EventIds.of(job).ofChange(index)), json);
    }

    /**
     * Somebody begins to listen.
     *
     * @param until the last line that was told before
     */
    record Joined(EventHub.Ear ear, JobRecord job, long until) {}

    /**
     * From now on everything is heard. Who joins a feed that was closed meanwhile hears its end at
     * once and so comes again, to the one that is opened then.
     */
    synchronized Joined join(JobRecord job) throws IOException {
        deliver();
        var ear = hub.listen();
        if (closed) {
            hub.say(Event.END);
        }
        return new Joined(ear, jobs.find(id).orElse(job), told);
    }

    /** Takes what has to be told to somebody who was away. */
    interface Teller {
        void tell(Event event) throws IOException;
    }

    /** Tells what came behind an event, up to where somebody joined. */
    void replay(long lastId, Joined joined, Teller teller) throws IOException {
        var ids = EventIds.of(joined.job());
        var known = ids.known(lastId);
        if (known.changes() < 0 || lastId > ids.last(joined.until())) {
            teller.tell(Event.RESET);
            return;
        }
        try (var tail = LogTail.open(jobs.folder(id))) {
            var change = known.changes();
            var line = tail.next();
            if (!tail.isWhole()
                    && line.filter(first -> first.seq() > known.seq() + 1).isPresent()) {
                teller.tell(Event.RESET);
                return;
            }
            for (; line.isPresent() && line.get().seq() <= joined.until(); line = tail.next()) {
                var entry = line.get();
                while (change < ids.changes().size()
                        && ids.changes().get(change).seq() < entry.seq()) {
                    teller.tell(stateEvent(joined.job(), change++));
                }
                if (entry.seq() > known.seq() && !type(entry).isEmpty()) {
                    teller.tell(
                            Event.of(
                                    type(entry),
                                    OptionalLong.of(ids.ofLine(entry.seq())),
                                    PageJson.line(entry)));
                }
            }
            while (change < ids.changes().size()) {
                teller.tell(stateEvent(joined.job(), change++));
            }
        }
    }

    /** Once a second: a point for the charts, and how it goes for those who listen. */
    void tick(JobRecord job, Instant now) {
        var status = jobs.status(id);
        if (status.isEmpty()) {
            history.rest();
            return;
        }
        var ledger = status.get().frontier().ledger();
        var point =
                new History.Point(
                        now,
                        ledger.pages(),
                        ledger.dead(),
                        ledger.queued(),
                        ledger.bytes(),
                        history.rate(ledger.pages(), now),
                        latencies.quantile(0.5),
                        latencies.quantile(0.95),
                        status.get().openConnections());
        history.add(point);
        if (hub.isHeard()) {
            var json = new JobJson(jobs, Optional.of(this)).progress(job);
            json.put("point", point.json());
            hub.say(Event.of("progress", OptionalLong.empty(), json));
            tellHosts();
        }
    }

    private void tellHosts() {
        var now = new HashMap<String, HostView.State>();
        for (var host : jobs.hosts(id, HOSTS).first()) {
            now.put(host.host(), host.state());
            if (host.state() != hosts.get(host.host())) {
                hub.say(Event.of("host", OptionalLong.empty(), host(host)));
            }
        }
        hosts.clear();
        hosts.putAll(now);
    }

    static Map<String, Object> host(JobHosts.Host host) {
        var json = new LinkedHashMap<String, Object>();
        json.put("host", host.host());
        json.put("state", host.state().name().toLowerCase(Locale.ROOT));
        json.put("queued", host.queued());
        json.put("leased", host.leased());
        json.put("delayMs", host.delay().toMillis());
        Json.put(json, "nextDue", host.due().map(Instant::toString));
        Json.put(json, "because", host.because());
        return json;
    }

    @Override
    public void close() throws IOException {
        closed = true;
        closing.countDown();
        synchronized (this) { // Who is joining just now hears it too.
            hub.say(Event.END);
        }
        committed();
        try {
            teller.join();
            indexer.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try (log) {
            index.close();
        }
    }
}
