package dev.orbweaver.server;

import com.fasterxml.jackson.annotation.JsonUnwrapped;

import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.engine.ProgressSnapshot;
import dev.orbweaver.internal.frontier.ForeignSetting;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.HostView;
import dev.orbweaver.internal.frontier.JobHosts;
import dev.orbweaver.internal.jobs.JobLabels.Keep;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.server.search.PageSearchQuery;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.StringNode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Builds the JSON of jobs, for REST and for events. */
final class JobJson {

    private static final Logger LOG = LoggerFactory.getLogger(JobJson.class);
    private static final int SEEDS_SHOWN = 20;

    /**
     * @param seeds all seeds of the job; only the first ones in lists and events
     * @param diskBytes absent in events, and until it is measured for the first time
     */
    record Job(
            JobId id,
            State state,
            String reason,
            String name,
            List<String> tags,
            Optional<String> notes,
            Optional<String> family,
            Optional<Keep> keep,
            List<String> seeds,
            int seedsTotal,
            Optional<String> createdBy,
            Optional<String> preset,
            JsonNode settings,
            int weight,
            Instant created,
            Optional<Instant> started,
            Optional<Instant> ended,
            Optional<Long> diskBytes,
            @JsonUnwrapped Progress live,
            String lastEventId) {}

    /**
     * The part of a job that changes while it runs.
     *
     * @param goal the limit that the job is nearest to; empty if it has none
     * @param progress from 0 to 1; it does not decrease while the job is open
     * @param elapsedMs time in which the job was running
     * @param foreignSettings stricter settings of other jobs for addresses, domains and groups
     */
    record Progress(
            Counts counts,
            Optional<Long> localPages,
            double rate,
            double progress,
            Optional<JobGoals.Goal> goal,
            long elapsedMs,
            FrontierStats.Hosts hosts,
            List<ForeignSetting> foreignSettings,
            Waiting waiting,
            Optional<Latencies.Quantiles> latencyMs,
            Optional<String> problem,
            Search search) {}

    record Counts(
            long pages,
            long failed,
            long refused,
            long queued,
            long leased,
            long deadLetters,
            long discovered,
            long done,
            long duplicate,
            long withdrawn,
            long bytes) {}

    /**
     * What a job spends its time on.
     *
     * @param politenessShare the request rate as a share of the maximum that politeness allows
     */
    record Waiting(
            String summary, List<Host> blocked, double politenessShare, List<Share> shares) {}

    record Share(String phase, double share) {}

    /**
     * The search index of a job, on which lists of pages, errors and the tree depend.
     *
     * @param indexed number of the last line of the page log that is in it
     * @param lag number of lines that are not
     */
    record Search(long indexed, long lag) {}

    record Host(
            String host,
            String state,
            long queued,
            int leased,
            long delayMs,
            Optional<Instant> nextDue,
            Optional<String> reason,
            List<ForeignSetting> foreignSettings) {

        static Host of(JobHosts.Host host) {
            return new Host(
                    host.host(),
                    stateId(host.state()),
                    host.queued(),
                    host.leased(),
                    host.delay().toMillis(),
                    host.due(),
                    host.restReason(),
                    host.foreignSettings());
        }

        static String stateId(HostView.State state) {
            return state.name().toLowerCase(Locale.ROOT);
        }
    }

    private final Jobs jobs;
    private final JobGoals goals;
    private final Optional<JobEventFeed> feed;
    private final Function<JobId, Optional<Long>> diskBytes;

    /**
     * @param feed empty if it is unreadable or, in a list of jobs, not open; values that only the
     *     feed has are 0 or empty then
     */
    JobJson(
            Jobs jobs,
            JobGoals goals,
            Optional<JobEventFeed> feed,
            Function<JobId, Optional<Long>> diskBytes) {
        this.jobs = jobs;
        this.goals = goals;
        this.feed = feed;
        this.diskBytes = diskBytes;
    }

    /** Builds the JSON of an event, without the disk use. */
    JobJson(Jobs jobs, JobGoals goals, Optional<JobEventFeed> feed) {
        this(jobs, goals, feed, _ -> Optional.empty());
    }

    Job full(JobRecord job) {
        return full(job, Integer.MAX_VALUE);
    }

    Job brief(JobRecord job) {
        return full(job, SEEDS_SHOWN);
    }

    private Job full(JobRecord job, int seedsMax) {
        var settings = JsonMapper.shared().readTree(job.settings());
        return new Job(
                job.id(),
                job.state(),
                job.reason(),
                name(job),
                job.labels().tags(),
                job.labels().notes(),
                job.labels().family(),
                job.labels().keep(),
                job.seeds().stream().limit(seedsMax).toList(),
                job.seeds().size(),
                job.labels().createdBy(),
                settings.path("preset").stringValueOpt(),
                withoutSecrets(jobs.table(), settings),
                job.weight(),
                job.created(),
                job.started(),
                job.ended(),
                diskBytes.apply(job.id()),
                progress(job),
                Long.toString(lastId(job)));
    }

    private long lastId(JobRecord job) {
        return feed.map(each -> each.lastId(job))
                .orElseGet(() -> EventIds.of(job).lastId(lastLine(job)));
    }

    /** Returns the last line; if the log is unreadable, the line before the last state change. */
    private long lastLine(JobRecord job) {
        try {
            return JobEventFeed.lastLine(jobs, job.id());
        } catch (IOException | UncheckedIOException e) {
            LOG.debug("could not read the page log of job {}", job.id().number(), e);
            return job.changes().isEmpty() ? 0 : job.changes().getLast().seq();
        }
    }

    /** Returns the name that the client has given, or the host of the first seed. */
    static String name(JobRecord job) {
        return job.labels().name().orElseGet(() -> hostOfFirstSeed(job));
    }

    private static String hostOfFirstSeed(JobRecord job) {
        var first = job.seeds().getFirst();
        try {
            var host = URI.create(first.contains("://") ? first : "https://" + first).getHost();
            return host == null ? first : host;
        } catch (IllegalArgumentException e) {
            return first; // Not a valid java.net.URI, but a URL that browsers accept.
        }
    }

    static JsonNode withoutSecrets(Settings table, JsonNode settings) {
        settings.properties().stream()
                .filter(each -> table.isSecret(each.getKey()))
                .forEach(each -> each.setValue(StringNode.valueOf("...")));
        return settings;
    }

    Progress progress(JobRecord job) {
        var status = jobs.status(job.id());
        var ledger =
                status.filter(_ -> job.state().isOpen())
                        .map(each -> each.frontier())
                        .orElseGet(() -> jobs.stats(job.id()))
                        .ledger();
        var now = Instant.now();
        var hosts = jobs.hosts(job.id(), 0);
        var goal = goals.goal(job, ledger);
        return new Progress(
                counts(ledger),
                jobs.isShared() ? localPages() : Optional.empty(),
                status.flatMap(_ -> feed)
                        .map(each -> each.history().rate(ledger.pages(), now))
                        .orElse(0.0),
                progress(job, ledger, goal),
                goal,
                job.running().elapsed(now).toMillis(),
                hosts.counts(),
                job.state().isOpen() ? jobs.foreignSettings(job.id()) : List.of(),
                waiting(job, hosts.blocked()),
                feed.flatMap(each -> each.latencies().quantiles()),
                status.flatMap(each -> each.problem())
                        .or(() -> feed.flatMap(JobEventFeed::problem)),
                feed.map(each -> new Search(each.indexedLines(), each.indexLag()))
                        .orElse(new Search(0, 0)));
    }

    private static Counts counts(Ledger ledger) {
        return new Counts(
                ledger.pages(),
                ledger.dead(),
                ledger.refused(),
                ledger.queued(),
                ledger.leased(),
                ledger.dead(),
                ledger.accepted(),
                ledger.done(),
                ledger.duplicate(),
                ledger.withdrawn(),
                ledger.bytes());
    }

    /** Returns the number of pages stored by this worker of a fleet; empty if it is not known. */
    private Optional<Long> localPages() {
        if (feed.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    feed.get().pages().search(PageSearchQuery.ofKind(Kind.PAGE, 0)).total());
        } catch (IOException | RuntimeException e) {
            LOG.debug("could not count pages", e);
            return Optional.empty();
        }
    }

    /** While a feed observes the job, its progress does not decrease. */
    private double progress(JobRecord job, Ledger ledger, Optional<JobGoals.Goal> goal) {
        var share = JobGoals.progress(job, ledger, goal);
        return feed.filter(_ -> job.state().isOpen())
                .map(each -> each.history().highest(share))
                .orElse(share);
    }

    /** Returns what the job spends its time on; after its end, what the last run spent it on. */
    private Waiting waiting(JobRecord job, List<JobHosts.Host> blocked) {
        var progress =
                jobs.status(job.id()).map(ProgressSnapshot::of).or(() -> storedProgress(job));
        var seconds = progress.map(ProgressSnapshot::secondsByPhase).orElse(Map.of());
        var sum = seconds.values().stream().mapToDouble(Double::doubleValue).sum();
        var shares =
                seconds.entrySet().stream()
                        .filter(each -> each.getValue() > 0)
                        .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                        .map(each -> new Share(each.getKey(), share(each.getValue(), sum)))
                        .toList();
        return new Waiting(
                (summary(shares, job) + summary(blocked, job.state())).strip(),
                blocked.stream().map(Host::of).toList(),
                progress.map(ProgressSnapshot::politenessShare).orElse(1.0),
                shares);
    }

    private static double share(double part, double whole) {
        return Math.round(1000 * part / whole) / 1000.0;
    }

    private Optional<ProgressSnapshot> storedProgress(JobRecord job) {
        try {
            return ProgressSnapshot.of(jobs.directory(job.id()));
        } catch (IOException e) {
            return Optional.empty(); // Only informational; the next request may succeed.
        }
    }

    private static String summary(List<Share> shares, JobRecord job) {
        if (job.state() == State.PAUSED) {
            return "The job is paused.";
        }
        if (job.state() == State.QUEUED) {
            return "The job is waiting to start.";
        }
        if (shares.isEmpty()) {
            return "";
        }
        var tense = job.state().isOpen() ? "Most time is spent" : "Most time was spent";
        return tense
                + switch (shares.getFirst().phase()) {
                    case "politeness" -> " on delays between requests to the same host.";
                    case "resting" -> " on hosts in backoff, after failures or Retry-After.";
                    case "concurrency" ->
                            " at the concurrency limit, with hosts ready for a request.";
                    case "robots" -> " on fetching robots.txt files.";
                    case "dns" -> " on DNS lookups.";
                    case "connect" -> " on opening connections.";
                    case "tls" -> " on TLS handshakes.";
                    case "server" -> " on waiting for the first byte of responses.";
                    case "body" -> " on receiving response bodies.";
                    case "parse" -> " on parsing documents.";
                    case "write" -> " on writing to disk.";
                    default -> " idle, with no URLs queued.";
                };
    }

    /** Names the host that blocks the job for longest, and why. */
    private static String summary(List<JobHosts.Host> blocked, State state) {
        return !state.isOpen() || blocked.isEmpty()
                ? ""
                : " No requests to %s until %s: %s."
                        .formatted(
                                blocked.getFirst().host(),
                                blocked.getFirst().due().map(Instant::toString).orElse("later"),
                                blocked.getFirst().restReason().orElse(""));
    }
}
