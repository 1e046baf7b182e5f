package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.Refusal;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Decides which of the URLs offered to a job are accepted, and with which priority. Its settings
 * are not stored: a crawl sets them each time it opens the frontier.
 */
final class Admission {

    /** Updates the schedule of a host that has more work. */
    interface Rescheduler {
        void reschedule(String host, long now);
    }

    private final Workbench bench;
    private final Consumer<FrontierEvent> record;
    private final Rescheduler rescheduler;
    private final Map<Integer, IntakeQuota> quotas = new HashMap<>();
    private final Map<Integer, AdmissionHook> hooks = new HashMap<>();
    private final Map<Integer, HostSet> excluded = new HashMap<>();

    Admission(Workbench bench, Consumer<FrontierEvent> record, Rescheduler rescheduler) {
        this.bench = bench;
        this.record = record;
        this.rescheduler = rescheduler;
    }

    void setLimits(int job, IntakeLimits limits) {
        if (limits.equals(IntakeLimits.NONE)) {
            quotas.remove(job);
        } else {
            quotas.put(job, new IntakeQuota(bench, job, limits));
        }
    }

    void setHook(int job, AdmissionHook hook) {
        hooks.put(job, hook);
    }

    void exclude(int job, HostSet hosts) {
        excluded.put(job, hosts);
    }

    void abandoned(int job, CaptureRef last) {
        hooks.getOrDefault(job, AdmissionHook.NONE).abandoned(last);
    }

    void removeJob(int job) {
        quotas.remove(job);
        hooks.remove(job);
        excluded.remove(job);
    }

    /**
     * @param parent the capture in which the candidates were found, 0 for none
     * @param isFirstVisit whether links to known URLs are to be counted
     */
    void accept(int job, List<Candidate> candidates, long parent, boolean isFirstVisit, long now) {
        var quota = Optional.ofNullable(quotas.get(job));
        var hook = hooks.getOrDefault(job, AdmissionHook.NONE);
        var barred = excluded.getOrDefault(job, HostSet.NONE);
        var waitingMax = quota.map(IntakeQuota::waitingMax).orElse(IntakeLimits.WAITING_MAX);
        var duplicates = 0;
        bench.prefetchSeen(job, candidates);
        for (var candidate : candidates) {
            var url = candidate.url();
            if (bench.hasSeen(job, url.key())) {
                duplicates++;
                if (isFirstVisit) {
                    hook.linked(url);
                }
                continue;
            }
            var refusal =
                    barred.contains(url.host())
                            ? Optional.of(Refusal.EXCLUDED)
                            : quota.flatMap(limited -> limited.refusal(url));
            if (candidate.notBefore() > now && bench.waitingSeeds() >= waitingMax) {
                refusal = refusal.or(() -> Optional.of(Refusal.WAITING_LIMIT));
            }
            if (refusal.isPresent()) {
                record.accept(new FrontierEvent.LinksRefused(job, refusal.get(), 1));
            } else {
                quota.ifPresent(limited -> limited.countAccepted(url));
                hook.linked(url);
                var penalty = hook.priorityPenalty(url, candidate.hop(), parent);
                record.accept(accepted(job, candidate, parent, penalty, now));
                rescheduler.reschedule(url.host(), now);
            }
        }
        quota.ifPresent(limited -> limited.recordMatching(record));
        if (duplicates > 0) {
            record.accept(new FrontierEvent.Duplicates(job, duplicates));
        }
    }

    private FrontierEvent accepted(
            int job, Candidate candidate, long parent, int penalty, long now) {
        var pages = bench.hostOrNew(candidate.url().host()).pages;
        var url =
                new AcceptedUrl(
                        job,
                        candidate.url(),
                        candidate.hop(),
                        candidate.depth(),
                        candidate.hops(),
                        CaptureRef.ofLine(parent),
                        Priority.rank(Priority.score(candidate, pages) - penalty),
                        now);
        return candidate.notBefore() > now
                ? new FrontierEvent.AcceptedForLater(url, candidate.notBefore())
                : new FrontierEvent.Accepted(url);
    }

    /** Queues URLs that are done for another visit; one that the job does not know is a new one. */
    void acceptRevisits(int job, List<SeedBatch.Revisit> revisits, long now) {
        for (var revisit : revisits) {
            var candidate = revisit.candidate();
            var url = candidate.url();
            if (!bench.hasSeen(job, url.key())) {
                accept(job, List.of(candidate), 0, true, now);
                continue;
            }
            record.accept(
                    new FrontierEvent.RevisitQueued(
                            new AcceptedUrl(
                                    job,
                                    url,
                                    candidate.hop(),
                                    candidate.depth(),
                                    0,
                                    revisit.last(),
                                    Priority.rank(
                                            Priority.score(
                                                    candidate, bench.hostOrNew(url.host()).pages)),
                                    now,
                                    revisit.page() ? LastResult.PAGE : LastResult.OTHER),
                            candidate.notBefore() > now ? candidate.notBefore() : 0));
            rescheduler.reschedule(url.host(), now);
        }
    }

    /** Counts URLs as done that were fetched elsewhere, unless the job has seen them. */
    void acceptVisited(int job, List<Fingerprint> visited) {
        var unseen = new LinkedHashSet<Fingerprint>();
        for (var key : visited) {
            if (!bench.hasSeen(job, key)) {
                unseen.add(key);
            }
        }
        if (!unseen.isEmpty()) {
            record.accept(new FrontierEvent.Visited(job, List.copyOf(unseen)));
        }
        if (unseen.size() < visited.size()) {
            record.accept(new FrontierEvent.Duplicates(job, visited.size() - unseen.size()));
        }
    }
}
