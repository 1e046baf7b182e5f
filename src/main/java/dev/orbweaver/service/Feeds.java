package dev.orbweaver.service;

import dev.orbweaver.JobRecord;
import dev.orbweaver.Jobs;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.metrics.RequestTimes;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.JobId;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The feeds of jobs, each opened when it is first needed and closed when nobody needs it. */
final class Feeds implements Jobs.Watcher, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Feeds.class);
    private static final Duration IDLE = Duration.ofSeconds(60);
    private static final Duration EVERY = Duration.ofSeconds(1);

    private final Map<JobId, JobFeed> feeds = new HashMap<>();
    private final Webhooks webhooks;
    private final RequestTimes times;
    private @Nullable Jobs jobs;
    private @Nullable Thread ticker;
    private volatile boolean closed;

    Feeds(Webhooks webhooks, RequestTimes times) {
        this.webhooks = webhooks;
        this.times = times;
    }

    /** Names the jobs; called once, before anything else. */
    void attach(Jobs all) {
        jobs = all;
        ticker = Thread.ofVirtual().name("once a second").start(this::run);
    }

    private Jobs jobs() {
        return Objects.requireNonNull(jobs, "attached");
    }

    /** The feed of a job. */
    synchronized JobFeed of(JobRecord job) throws IOException, ConfigException {
        var feed = feeds.get(job.id());
        if (feed == null) {
            if (closed) {
                throw ProblemException.of(
                        ProblemException.UNAVAILABLE, "The service is shutting down.");
            }
            feed = new JobFeed(jobs(), job);
            feeds.put(job.id(), feed);
        }
        return feed;
    }

    /**
     * The feed of a job; nothing if it cannot be opened, because its settings no longer hold or its
     * files are damaged: the job can be shown, stopped and deleted all the same.
     */
    Optional<JobFeed> ifPossible(JobRecord job) {
        try {
            return Optional.of(of(job));
        } catch (IOException | ConfigException | RuntimeException e) {
            LOG.warn("job {} cannot be followed: {}", job.id().number(), e.toString());
            return Optional.empty();
        }
    }

    /** The feed of a job, if it is open. */
    synchronized Optional<JobFeed> open(JobId job) {
        return Optional.ofNullable(feeds.get(job));
    }

    private synchronized List<Map.Entry<JobId, JobFeed>> open() {
        return List.copyOf(feeds.entrySet());
    }

    int listeners() {
        return open().stream().mapToInt(each -> each.getValue().hub().listeners()).sum();
    }

    @Override
    public JobRecord changing(JobId id, Jobs.Noting noting) throws IOException {
        var job = jobs().find(id);
        // Without a feed it is noted all the same: that a job cannot go on, for one.
        var feed = closed ? Optional.<JobFeed>empty() : job.flatMap(this::ifPossible);
        var changed =
                feed.isPresent()
                        ? feed.get().changing(noting)
                        : noting.note(JobFeed.lastLine(jobs(), id));
        if (!changed.state().isOpen() && changed.webhook().isPresent() && jobs().tellsOf(changed)) {
            webhooks.tell(changed, jobs());
        }
        return changed;
    }

    @Override
    public void captured(JobId job, Capture capture) {
        capture.exchange().ifPresent(exchange -> times.add(exchange.timings()));
    }

    @Override
    public void committed(JobId job) {
        open(job).ifPresent(JobFeed::committed);
    }

    @Override
    public void deleted(JobId job) {
        close(job);
    }

    private void close(JobId job) {
        Optional<JobFeed> feed;
        synchronized (this) {
            feed = Optional.ofNullable(feeds.remove(job));
        }
        feed.ifPresent(Feeds::closeQuietly);
    }

    /** An index that cannot be closed is made again from where it was last committed. */
    private static void closeQuietly(JobFeed feed) {
        try {
            feed.close();
        } catch (IOException | RuntimeException e) {
            LOG.warn("a feed was not closed in order", e);
        }
    }

    private void run() {
        while (!closed) {
            try {
                Thread.sleep(EVERY);
                tick();
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                LOG.warn("figures of this second are missing", e);
            }
        }
    }

    private void tick() {
        var now = Instant.now();
        var idle = new ArrayList<JobId>();
        for (var each : open()) {
            var job = jobs().find(each.getKey());
            job.ifPresent(known -> each.getValue().tick(known, now));
            if (job.isEmpty() || each.getValue().isIdle(IDLE)) {
                idle.add(each.getKey());
            }
        }
        idle.forEach(this::close);
    }

    @Override
    public void close() {
        closed = true;
        var thread = ticker;
        if (thread != null) {
            thread.interrupt();
        }
        open().forEach(each -> close(each.getKey()));
    }
}
