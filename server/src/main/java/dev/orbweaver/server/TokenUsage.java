package dev.orbweaver.server;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.model.JobId;
import dev.orbweaver.server.TokenFile.Token;

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
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Counts the pages of a day (in UTC), of all jobs and of each token, once a second and over
 * restarts. Enforces the quotas of tokens: a job whose token has used up its pages is stopped.
 */
final class TokenUsage {

    private static final Logger LOG = LoggerFactory.getLogger(TokenUsage.class);
    static final String FILE = "token-usage.json";
    private static final int SAVE_TICKS = 10;

    /** The file: pages of a day by the name of the token, and with those without a token. */
    private record Stored(String day, Map<String, Long> pages, long all) {}

    private final Jobs jobs;
    private final ApiTokens tokens;
    private final Path file;
    private final InstantSource clock;
    private final Map<JobId, Long> lastPages = new HashMap<>();
    private final Set<JobId> ended = new HashSet<>();
    private final Map<String, Long> pages = new HashMap<>();
    private final Instant startedAt;
    private long allPages;
    private LocalDate day;
    private int ticks;
    private boolean changed;

    TokenUsage(Jobs jobs, ApiTokens tokens, Path data, InstantSource clock) {
        this.jobs = jobs;
        this.tokens = tokens;
        this.file = data.resolve(FILE);
        this.clock = clock;
        this.startedAt = clock.instant();
        this.day = today();
        if (Files.exists(file)) {
            try {
                var stored =
                        JsonMapper.shared()
                                .readValue(AtomicFile.read(new RealDisk(), file), Stored.class);
                if (stored.day.equals(day.toString())) {
                    pages.putAll(stored.pages);
                    allPages = stored.all;
                }
            } catch (IOException | JacksonException e) {
                LOG.warn("could not read {}; the pages of today count from 0", file, e);
            }
        }
    }

    private LocalDate today() {
        return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
    }

    /**
     * Returns the setting that limits the concurrency of a job; throws if it may not start.
     *
     * @param id of a job that continues; empty for a new one
     */
    synchronized Optional<Integer> admit(
            Token token, Optional<JobId> id, Optional<Integer> concurrency) {
        requirePages(token);
        var open = otherOpen(token, id);
        if (token.quotas().jobs().isPresent() && open.size() >= token.quotas().jobs().getAsInt()) {
            throw exceeded(
                    "the quota of %d open jobs of the token %s is used up; wait until one ends, or stop one"
                            .formatted(token.quotas().jobs().getAsInt(), token.name()));
        }
        return admitConcurrency(token, id, concurrency);
    }

    private List<JobRecord> otherOpen(Token token, Optional<JobId> id) {
        return jobs.all().stream()
                .filter(job -> job.state().isOpen())
                .filter(job -> isOf(job, token))
                .filter(job -> id.filter(job.id()::equals).isEmpty())
                .toList();
    }

    /** Returns the setting that limits the concurrency of a job; throws if that is too high. */
    Optional<Integer> admitConcurrency(
            Token token, Optional<JobId> id, Optional<Integer> concurrency) {
        if (token.quotas().concurrency().isEmpty()) {
            return Optional.empty();
        }
        var max = token.quotas().concurrency().getAsInt();
        var left = max - otherOpen(token, id).stream().mapToInt(this::concurrency).sum();
        if (left < 1 || concurrency.filter(wanted -> wanted > left).isPresent()) {
            throw exceeded(
                    "the quota of %d concurrent requests of the token %s leaves %d; set concurrency to at most that, or stop a job"
                            .formatted(max, token.name(), Math.max(0, left)));
        }
        return Optional.of(concurrency.orElse(left));
    }

    private int concurrency(JobRecord job) {
        return JsonMapper.shared().readTree(job.settings()).path("concurrency").asInt(0);
    }

    /** Returns the token with a name, if it has not been revoked. */
    Optional<Token> find(String name) {
        return tokens.all().stream().filter(token -> token.name().equals(name)).findFirst();
    }

    /** Whether no token has this name any more, although the service has tokens. */
    boolean isRevoked(String name) {
        return tokens.required() && find(name).isEmpty();
    }

    /** Throws if a token has no pages left today. */
    synchronized void requirePages(Token token) {
        if (isUsedUp(token)) {
            var midnight = day.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant();
            throw ProblemException.tooMany(
                    Duration.between(clock.instant(), midnight), sentence(reason(token)));
        }
    }

    private boolean isUsedUp(Token token) {
        newDay();
        var quota = token.quotas().pagesPerDay();
        return quota.isPresent() && pages.getOrDefault(token.name(), 0L) >= quota.getAsInt();
    }

    private static String reason(Token token) {
        return "the quota of %d pages a day of the token %s is used up; it is renewed at 00:00 UTC"
                .formatted(token.quotas().pagesPerDay().orElse(0), token.name());
    }

    private static ProblemException exceeded(String why) {
        return ProblemException.tooMany(JobsApi.JOB_END_DELAY, sentence(why));
    }

    private static String sentence(String text) {
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1) + ".";
    }

    private static boolean isOf(JobRecord job, Token token) {
        return job.labels().createdBy().filter(token.name()::equals).isPresent();
    }

    /** Counts a page that was fetched without a job. */
    synchronized void addPage(String name) {
        newDay();
        add(Optional.of(name), 1);
    }

    private void add(Optional<String> name, long count) {
        name.ifPresent(known -> pages.merge(known, count, Long::sum));
        allPages += count;
        changed = true;
    }

    synchronized long pagesToday(String name) {
        newDay();
        return pages.getOrDefault(name, 0L);
    }

    /** Returns the pages that were stored today, with those of deleted jobs. */
    synchronized long pagesToday() {
        newDay();
        return allPages;
    }

    /** Returns when the day began of which pages are counted. */
    synchronized Instant dayStart() {
        newDay();
        return day.atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    private void newDay() {
        var now = today();
        if (!now.equals(day)) {
            day = now;
            pages.clear();
            allPages = 0;
            changed = true;
        }
    }

    /** Counts the new pages of all jobs, and stops those that are beyond their quota. */
    void tick() {
        var all = jobs.all();
        synchronized (this) {
            newDay();
            for (var job : all) {
                count(job);
            }
            var ids = all.stream().map(JobRecord::id).collect(Collectors.toSet());
            lastPages.keySet().retainAll(ids);
            ended.retainAll(ids);
            if (++ticks % SAVE_TICKS == 0) {
                save();
            }
        }
        for (var token : tokens.all()) {
            if (token.quotas().pagesPerDay().isPresent()) {
                all.stream()
                        .filter(job -> job.state() == JobRecord.State.RUNNING && isOf(job, token))
                        .forEach(job -> stopIfUsedUp(job, token));
            }
        }
    }

    /** A job that is seen for the first time counts from here: its earlier pages were counted. */
    private void count(JobRecord job) {
        if (ended.contains(job.id()) && !job.state().isOpen()) {
            return;
        }
        if (job.state().isOpen()) {
            ended.remove(job.id());
        } else {
            ended.add(job.id()); // It is counted now, for the last time.
        }
        var now = jobs.stats(job.id()).ledger().pages();
        var before = lastPages.put(job.id(), now);
        var isNew = before == null && job.created().isAfter(startedAt);
        var more = now - (before == null ? (isNew ? 0 : now) : before);
        if (more > 0) {
            add(job.labels().createdBy(), more);
        }
    }

    private void stopIfUsedUp(JobRecord job, Token token) {
        synchronized (this) {
            if (!isUsedUp(token)) {
                return;
            }
        }
        try {
            var _ = jobs.stop(job.id(), sentence(reason(token)));
        } catch (IOException | RuntimeException e) {
            LOG.warn("could not stop job {}, whose quota is used up", job.id().number(), e);
        }
    }

    /** Writes the counts, if they have changed. */
    synchronized void save() {
        if (!changed) {
            return;
        }
        try {
            var json =
                    JsonMapper.shared()
                            .writeValueAsString(new Stored(day.toString(), pages, allPages));
            AtomicFile.writePrivate(new RealDisk(), file, json + "\n");
            changed = false;
        } catch (IOException e) {
            LOG.warn("could not write {}; retrying", file, e);
        }
    }
}
