package dev.orbweaver.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.model.JobId;
import dev.orbweaver.server.WebhookLog.Delivery;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Sends the events of jobs to their webhooks, and keeps a log of it in the directory of each job.
 *
 * <p>Once a second the changes of state in a job's record are compared with the log. A change that
 * has no message yet gets one, which is stored before its first attempt. So no event is lost when
 * the service is killed, and what is waiting then is sent by the next process. A message whose
 * attempt was not recorded before a kill is sent twice, with the same id.
 */
final class WebhookDeliveries implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(WebhookDeliveries.class);
    static final String FILE = "webhook.json";
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration CLOSE_GRACE = Duration.ofSeconds(2);
    private static final int SEEDS_SHOWN = 20;

    /** The pauses before the second and each later attempt. */
    static final List<Duration> RETRY_DELAYS =
            List.of(
                    Duration.ofSeconds(2),
                    Duration.ofSeconds(10),
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(5),
                    Duration.ofMinutes(30),
                    Duration.ofHours(2));

    /** The body of every message but those with changes of pages. */
    private record Message(
            String event,
            Instant time,
            JobId id,
            String name,
            JobRecord.State state,
            String reason,
            List<String> seeds,
            long pages,
            long failed,
            Optional<Instant> started,
            Optional<Instant> ended) {}

    private final Jobs jobs;
    private final Webhooks webhooks;
    private final InstantSource clock;
    private final List<Duration> retryDelays;
    private final Disk disk = new RealDisk();
    private final Map<JobId, WebhookLog> logs = new HashMap<>(); // Guarded by this.
    private final Set<String> sending = new HashSet<>(); // Guarded by this.
    private final List<Thread> senders = new ArrayList<>(); // Guarded by this.
    private final Thread thread;
    private volatile boolean closed;

    WebhookDeliveries(
            Jobs jobs, Webhooks webhooks, InstantSource clock, List<Duration> retryDelays) {
        this.jobs = jobs;
        this.webhooks = webhooks;
        this.clock = clock;
        this.retryDelays = retryDelays;
        this.thread = Thread.ofVirtual().name("webhooks").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        while (!closed) {
            try {
                tick();
                Thread.sleep(INTERVAL);
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                LOG.warn("could not look for events to report to webhooks; retrying", e);
            }
        }
    }

    private void tick() {
        var all = jobs.all();
        forget(all);
        for (var job : all) {
            if (job.webhook().isPresent() && job.state() != JobRecord.State.DELETED) {
                try {
                    advance(job, job.webhook().get());
                    sendDue(job);
                } catch (IOException | RuntimeException e) {
                    LOG.warn(
                            "could not report events of job {} to its webhook; retrying",
                            job.id().number(),
                            e);
                }
            }
        }
    }

    private synchronized void forget(List<JobRecord> all) {
        logs.keySet()
                .retainAll(
                        all.stream()
                                .filter(job -> job.state() != JobRecord.State.DELETED)
                                .map(JobRecord::id)
                                .collect(Collectors.toSet()));
        senders.removeIf(sender -> !sender.isAlive());
    }

    /** Adds messages for what has happened since the last call. */
    private synchronized void advance(JobRecord job, JobRecord.Webhook hook) throws IOException {
        var before = log(job);
        var log = before;
        var count = job.dropped() + job.changes().size();
        var known = Math.max(log.changes(), job.dropped());
        for (var number = known; number < count; number++) {
            var index = Math.toIntExact(number - job.dropped());
            var change = job.changes().get(index);
            var earlier =
                    index == 0
                            ? Optional.<JobRecord.State>empty()
                            : Optional.of(job.changes().get(index - 1).state());
            var event = WebhookEvents.of(change, earlier).filter(hook::receives);
            if (event.isPresent() && jobs.claimNotification(job.id(), change.at())) {
                var body = body(event.get(), job, change.state(), change.reason(), change.at());
                log = log.with(pending(event.get(), body));
            }
        }
        var reached =
                hook.everyPages() == 0
                        ? 0
                        : jobs.stats(job.id()).ledger().pages() / hook.everyPages();
        if (reached > log.pages()) {
            var now = clock.instant();
            var body = body(WebhookEvents.PAGES, job, job.state(), job.reason(), now);
            log = log.with(pending(WebhookEvents.PAGES, body));
        }
        log = log.reached(count, Math.max(reached, log.pages()));
        if (!log.equals(before)) {
            save(job.id(), log);
        }
    }

    private Delivery pending(String event, String body) {
        return Delivery.pending(UUID.randomUUID().toString(), event, clock.instant(), body);
    }

    private String body(
            String event, JobRecord job, JobRecord.State state, String reason, Instant time) {
        var ledger = jobs.stats(job.id()).ledger();
        return JsonMapper.shared()
                .writeValueAsString(
                        new Message(
                                event,
                                time,
                                job.id(),
                                JobJson.name(job),
                                state,
                                reason,
                                job.seeds().stream().limit(SEEDS_SHOWN).toList(),
                                ledger.pages(),
                                ledger.dead(),
                                job.started(),
                                state.isOpen() ? Optional.empty() : Optional.of(time)));
    }

    /** Returns the log of a job, read on the first call. */
    private WebhookLog log(JobRecord job) throws IOException {
        var known = logs.get(job.id());
        if (known != null) {
            return known;
        }
        var file = file(job.id());
        var log = WebhookLog.NEW;
        if (Files.exists(file)) {
            try {
                log = WebhookLog.fromJson(AtomicFile.read(disk, file));
            } catch (AtomicFile.DamagedException | JacksonException e) {
                LOG.warn("{} is damaged; all events are reported again", file, e);
            }
        }
        logs.put(job.id(), log);
        return log;
    }

    private Path file(JobId job) {
        return jobs.directory(job).resolve(DirectoryLayout.SINKS).resolve(FILE);
    }

    private void save(JobId job, WebhookLog log) throws IOException {
        Files.createDirectories(file(job).getParent());
        AtomicFile.writePrivate(disk, file(job), log.toJson());
        logs.put(job, log);
    }

    private synchronized void sendDue(JobRecord job) throws IOException {
        var now = clock.instant();
        for (var delivery : log(job).deliveries()) {
            if (!closed && delivery.isDue(now) && sending.add(delivery.id())) {
                senders.add(
                        Thread.ofVirtual()
                                .name("webhook of job " + job.id().number())
                                .start(() -> send(job, delivery)));
            }
        }
    }

    private void send(JobRecord job, Delivery delivery) {
        try {
            var body = delivery.body().orElseThrow().getBytes(UTF_8);
            var attempt =
                    webhooks.attempt(job, delivery.event(), delivery.id(), body, clock.instant());
            var next =
                    delivery.attempts() < retryDelays.size()
                            ? Optional.of(
                                    clock.instant().plus(retryDelays.get(delivery.attempts())))
                            : Optional.<Instant>empty();
            var after = delivery.attempted(attempt, clock.instant(), next);
            record(job.id(), after);
            webhooks.count(job, after);
        } catch (InterruptedException e) {
            LOG.debug("the service is closing; the message is sent again later");
        } catch (IOException | RuntimeException e) {
            LOG.warn("could not record a message to the webhook of job {}", job.id().number(), e);
        } finally {
            synchronized (this) {
                sending.remove(delivery.id());
            }
        }
    }

    private synchronized void record(JobId id, Delivery delivery) throws IOException {
        var log = logs.get(id);
        if (log != null && jobs.find(id).isPresent()) {
            save(id, log.find(delivery.id()).isPresent() ? log.replace(delivery) : log);
        }
    }

    /**
     * Sends changes of pages, in at most three attempts. The caller sends them again later if they
     * are not confirmed.
     *
     * @return whether the receiver confirmed them
     */
    boolean deliverChanges(JobRecord job, byte[] body) throws InterruptedException {
        var delivery = pending(WebhookEvents.CHANGES, "").withoutBody();
        for (var number = 0; number < 3; number++) {
            if (number > 0) {
                Thread.sleep(retryDelays.get(Math.min(number, retryDelays.size()) - 1));
            }
            var attempt =
                    webhooks.attempt(job, delivery.event(), delivery.id(), body, clock.instant());
            delivery = delivery.attempted(attempt, clock.instant(), Optional.empty());
            webhooks.countAttempt(job, delivery);
            if (attempt.isConfirmed()) {
                break;
            }
        }
        add(job, delivery);
        return delivery.state() == WebhookLog.State.DELIVERED;
    }

    private synchronized void add(JobRecord job, Delivery delivery) {
        try {
            if (jobs.find(job.id()).isPresent()) {
                save(job.id(), log(job).with(delivery));
            }
        } catch (IOException e) {
            LOG.warn("could not record a message to the webhook of job {}", job.id().number(), e);
        }
    }

    /** Returns the messages of a job, the newest first. */
    synchronized List<Delivery> deliveries(JobRecord job) throws IOException {
        return log(job).deliveries().reversed();
    }

    /** Sends a message once more; empty if the job has no such message. */
    synchronized Optional<Delivery> redeliver(JobRecord job, String id) throws IOException {
        var found = log(job).find(id);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        if (found.get().body().isEmpty()) {
            throw ProblemException.of(
                    ProblemException.CONFLICT,
                    "Message %s has changes of pages, which are sent until they are confirmed; read them at GET %s/jobs/%d/changes/events."
                            .formatted(id, Routes.API, job.id().number()));
        }
        if (found.get().state() == WebhookLog.State.PENDING) {
            throw ProblemException.of(
                    ProblemException.CONFLICT,
                    "Message %s is still being delivered; wait for its last attempt."
                            .formatted(id));
        }
        var again = found.get().again(clock.instant());
        save(job.id(), log(job).replace(again));
        sendDue(job);
        return Optional.of(again);
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
                // A message that is confirmed now is not sent again by the next service.
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
