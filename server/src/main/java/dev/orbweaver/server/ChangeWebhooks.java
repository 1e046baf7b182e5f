package dev.orbweaver.server;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.engine.ChangeLogReader;
import dev.orbweaver.internal.engine.ChangeLogReader.Change;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.model.JobId;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Sends the changes that the visits of a job find to its webhook, in batches and in order.
 *
 * <p>The number of the last change that the receiver has confirmed is stored in the job's
 * directory. A batch that could not be delivered is sent again later, and after a kill the last one
 * may be sent twice; none is left out.
 */
final class ChangeWebhooks implements AutoCloseable {

    static final int BATCH_MAX = 500;

    private static final Logger LOG = LoggerFactory.getLogger(ChangeWebhooks.class);
    private static final String POSITION = "changes-webhook.position";

    /** How long changes are collected, unless there are enough for a batch. */
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private static final Duration CLOSE_GRACE = Duration.ofSeconds(2);
    private static final Duration AFTER_FAILURE = Duration.ofMinutes(1);

    /** Sends one body, in a few attempts. */
    interface Delivery {
        boolean deliver(JobRecord job, byte[] body) throws InterruptedException;
    }

    private record Message(String event, JobId id, List<ChangeJson> changes) {}

    private final Jobs jobs;
    private final Delivery delivery;
    private final Disk disk = new RealDisk();
    private final InstantSource clock = InstantSource.system();
    private final Duration interval;
    private final Duration afterFailure;
    private final Set<JobId> sending = ConcurrentHashMap.newKeySet();
    private final Map<JobId, Instant> notBefore = new HashMap<>(); // Guarded by this.

    /** Lengths of the records of changes of which everything was sent. Guarded by this. */
    private final Map<JobId, Long> sent = new HashMap<>();

    private final List<Thread> senders = new ArrayList<>(); // Guarded by this.
    private final Thread thread;
    private volatile boolean closed;

    ChangeWebhooks(Jobs jobs, WebhookDeliveries deliveries) {
        this(jobs, deliveries::deliverChanges, INTERVAL, AFTER_FAILURE);
    }

    /** Looks for changes, and repeats what was not confirmed, after the same time. */
    ChangeWebhooks(Jobs jobs, Delivery delivery, Duration interval) {
        this(jobs, delivery, interval, interval);
    }

    private ChangeWebhooks(Jobs jobs, Delivery delivery, Duration interval, Duration afterFailure) {
        this.jobs = jobs;
        this.delivery = delivery;
        this.interval = interval;
        this.afterFailure = afterFailure;
        this.thread = Thread.ofVirtual().name("change webhooks").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        while (!closed) {
            try {
                Thread.sleep(interval);
                var all = jobs.all();
                keepOnly(all);
                for (var job : all) {
                    if (receivesChanges(job) && isReady(job.id())) {
                        startSender(job);
                    }
                }
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                LOG.warn("could not look for changes to report to webhooks; retrying", e);
            }
        }
    }

    private static boolean receivesChanges(JobRecord job) {
        return job.webhook().filter(hook -> hook.receives(WebhookEvents.CHANGES)).isPresent();
    }

    private synchronized boolean isReady(JobId job) {
        return !clock.instant().isBefore(notBefore.getOrDefault(job, Instant.MIN))
                && ChangeLogReader.bytes(jobs.directory(job)) != sent.getOrDefault(job, 0L);
    }

    /** Forgets jobs that were deleted. */
    private synchronized void keepOnly(List<JobRecord> all) {
        var ids = all.stream().map(JobRecord::id).collect(Collectors.toSet());
        notBefore.keySet().retainAll(ids);
        sent.keySet().retainAll(ids);
    }

    private synchronized void startSender(JobRecord job) {
        if (!closed && sending.add(job.id())) {
            senders.removeIf(sender -> !sender.isAlive());
            senders.add(
                    Thread.ofVirtual()
                            .name("change webhook of job " + job.id().number())
                            .start(() -> send(job)));
        }
    }

    private void send(JobRecord job) {
        try {
            var bytes = ChangeLogReader.bytes(jobs.directory(job.id()));
            if (sendAll(job)) {
                sentAll(job, bytes);
            } else {
                postpone(job);
            }
        } catch (InterruptedException | ClosedByInterruptException e) {
            LOG.debug("the service is closing; changes are reported later");
        } catch (IOException | ConfigException | RuntimeException e) {
            LOG.warn(
                    "could not report changes of job {} to its webhook; retrying",
                    job.id().number(),
                    e);
            postpone(job);
        } finally {
            sending.remove(job.id());
        }
    }

    private synchronized void sentAll(JobRecord job, long bytes) {
        sent.put(job.id(), bytes);
    }

    private synchronized void postpone(JobRecord job) {
        notBefore.put(job.id(), clock.instant().plus(afterFailure));
    }

    /** Sends everything that is recorded; returns false if a batch could not be delivered. */
    private boolean sendAll(JobRecord job)
            throws IOException, ConfigException, InterruptedException {
        var directory = jobs.directory(job.id());
        var hidden = new StoredCrawl(directory, jobs.config(job)).tombstones();
        try (var reader = ChangeLogReader.open(directory, position(directory))) {
            for (var batch = reader.next(BATCH_MAX);
                    !closed && !batch.isEmpty();
                    batch = reader.next(BATCH_MAX)) {
                var shown = batch.stream().filter(it -> !hidden.covers(it.url())).toList();
                if (!shown.isEmpty() && !delivery.deliver(job, body(job, shown))) {
                    return false;
                }
                AtomicFile.write(
                        disk, file(directory), Long.toString(batch.getLast().seq()) + "\n");
            }
        }
        return true;
    }

    private static byte[] body(JobRecord job, List<Change> changes) {
        var shown = changes.stream().map(change -> ChangeJson.of(job.id(), change)).toList();
        return JsonMapper.shared()
                .writeValueAsBytes(new Message(WebhookEvents.CHANGES, job.id(), shown));
    }

    private static Path file(Path directory) {
        return directory.resolve(DirectoryLayout.SINKS).resolve(POSITION);
    }

    /** Returns the last change that was confirmed; a damaged file repeats all of them. */
    private long position(Path directory) throws IOException {
        if (!disk.exists(file(directory))) {
            return 0;
        }
        try {
            return Long.parseLong(AtomicFile.read(disk, file(directory)).strip());
        } catch (AtomicFile.DamagedException | NumberFormatException e) {
            LOG.warn("all changes are reported again: {}", e.getMessage());
            return 0;
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        List<Thread> left;
        synchronized (this) {
            left = List.copyOf(senders);
        }
        try {
            thread.join();
            for (var sender : left) {
                // A batch that is confirmed now is not sent again by the next service.
                if (!sender.join(CLOSE_GRACE)) {
                    sender.interrupt();
                    sender.join();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
