package dev.orbweaver.server;

import dev.orbweaver.internal.jobs.JobLabels.Keep;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.internal.jobs.NoSuchJobException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Deletes jobs that have ended when no rule keeps them any longer.
 *
 * <p>The rule of a job is that of the newest run of its family, else its own, else the operator's.
 * A job whose records others refer to is never deleted.
 */
final class JobRetention {

    private static final Logger LOG = LoggerFactory.getLogger(JobRetention.class);
    static final Duration INTERVAL = Duration.ofMinutes(1);
    static final int DELETED_AT_ONCE = 50;
    private static final String CALLER = "retention";

    private final Jobs jobs;
    private final Keep operator;
    private final Set<Path> needed;
    private final AuditLog auditLog;
    private final InstantSource clock;
    private Instant next = Instant.MIN;

    /**
     * @param operator the rule for jobs without one of their own
     * @param needed directories of crawls that all jobs refer to
     */
    JobRetention(
            Jobs jobs, Keep operator, Set<Path> needed, AuditLog auditLog, InstantSource clock) {
        this.jobs = jobs;
        this.operator = operator;
        this.needed = Set.copyOf(needed);
        this.auditLog = auditLog;
        this.clock = clock;
    }

    /** Deletes jobs, if that was not done within the last minute. */
    void tick() {
        var now = clock.instant();
        if (now.isBefore(next)) {
            return;
        }
        next = now.plus(INTERVAL);
        var deleted = 0;
        for (var job : expired(jobs.all(), operator, now)) {
            if (deleted < DELETED_AT_ONCE && delete(job)) {
                deleted++;
            }
        }
    }

    private boolean delete(JobRecord job) {
        var number = job.id().number();
        try {
            var directory = jobs.directory(job.id()).toAbsolutePath().normalize();
            if (needed.contains(directory) || jobs.hasDependents(job.id())) {
                return false;
            }
            jobs.delete(job.id());
            LOG.info("deleted job {}, which no rule keeps any longer", number);
            var path = Routes.API + "/jobs/" + number;
            auditLog.add(AuditLog.Entry.ofService(CALLER, "DELETE", path, 204));
            return true;
        } catch (NoSuchJobException e) {
            return false; // It was deleted in the meantime.
        } catch (IOException | RuntimeException e) {
            LOG.warn("could not delete job {}; retrying in a minute", number, e);
            return false;
        }
    }

    /** Returns the jobs that no rule keeps any longer, the oldest first. */
    static List<JobRecord> expired(List<JobRecord> all, Keep operator, Instant now) {
        var families = new HashMap<String, List<JobRecord>>();
        for (var job : all) {
            if (job.state() != State.DELETED) {
                families.computeIfAbsent(JobsApi.family(job), _ -> new ArrayList<>()).add(job);
            }
        }
        var expired = new ArrayList<JobRecord>();
        for (var family : families.values()) {
            family.sort(Comparator.comparing(JobRecord::created).reversed());
            var isFamily = family.size() > 1 || family.getFirst().labels().family().isPresent();
            var common = family.stream().flatMap(job -> job.labels().keep().stream()).findFirst();
            var keep = common.orElse(operator);
            var rank = 0;
            for (var job : family) {
                if (!job.state().isOpen()) {
                    var runs = isFamily ? keep.runs() : Optional.<Integer>empty();
                    if (isExpired(job, keep.days(), runs, rank, now)) {
                        expired.add(job);
                    }
                    rank++;
                }
            }
        }
        expired.sort(Comparator.comparing(JobRecord::created));
        return expired;
    }

    /**
     * @param rank the number of newer runs of the family that have ended
     */
    private static boolean isExpired(
            JobRecord job, Optional<Integer> days, Optional<Integer> runs, int rank, Instant now) {
        var end = job.ended().orElse(now);
        return (days.isPresent() || runs.isPresent())
                && days.filter(count -> end.plus(Duration.ofDays(count)).isAfter(now)).isEmpty()
                && runs.filter(count -> rank < count).isEmpty();
    }
}
