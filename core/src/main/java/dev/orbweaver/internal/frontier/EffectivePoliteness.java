package dev.orbweaver.internal.frontier;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The politeness settings of the jobs, and the settings that result for a host.
 *
 * <p>Jobs without settings use those of the frontier. If several jobs share a host, the strictest
 * settings apply, and likewise for addresses, domains and groups. Only active jobs count, and on a
 * host only those that have URLs or requests there: a job that has ended or is paused sends
 * nothing, so its settings restrict no job.
 */
final class EffectivePoliteness {

    /** A job's settings, and the settings that result from each override. */
    private record Rules(Politeness defaults, HostPatternMap<Politeness> exceptions) {

        private static Rules of(Politeness politeness) {
            var exceptions = new HostPatternMap<Politeness>();
            for (var override : politeness.overrides()) {
                exceptions.add(override.hosts(), override.apply(politeness));
            }
            return new Rules(politeness, exceptions);
        }

        private Politeness forHost(String host) {
            return exceptions.first(host).orElse(defaults);
        }
    }

    private final Rules frontierRules;
    private final SortedMap<Integer, Rules> jobRules = new TreeMap<>();
    private final Set<Integer> inactiveJobs = new HashSet<>();
    private Politeness shared;
    private RateGroupIndex sharedGroups;

    EffectivePoliteness(Politeness politeness) {
        this.frontierRules = Rules.of(politeness);
        this.shared = politeness;
        this.sharedGroups = new RateGroupIndex(politeness.groups());
    }

    boolean hasJobSettings() {
        return !jobRules.isEmpty();
    }

    void setPoliteness(int job, Politeness politeness) {
        jobRules.put(job, Rules.of(politeness));
        updateShared();
    }

    boolean isActive(int job) {
        return !inactiveJobs.contains(job);
    }

    /** Sets whether a job counts; returns false if that is not a change. */
    boolean setActive(int job, boolean active) {
        var changed = active ? inactiveJobs.remove(job) : inactiveJobs.add(job);
        if (changed) {
            updateShared();
        }
        return changed;
    }

    void removeJob(int job) {
        jobRules.remove(job);
        inactiveJobs.remove(job);
        updateShared();
    }

    private void updateShared() {
        shared =
                jobRules.entrySet().stream()
                        .filter(each -> isActive(each.getKey()))
                        .map(each -> each.getValue().defaults)
                        .reduce(Politeness::mergeStrictest)
                        .orElse(frontierRules.defaults);
        sharedGroups = new RateGroupIndex(shared.groups());
    }

    /** Returns the settings for addresses, domains and groups, which jobs share. */
    Politeness shared() {
        return shared;
    }

    /** Returns the groups of {@link #shared}. */
    RateGroupIndex sharedGroups() {
        return sharedGroups;
    }

    /** Returns the settings for a host without queues. */
    Politeness forHost(String host) {
        return frontierRules.forHost(host);
    }

    /** Sets the settings that result for a host now. */
    void apply(HostQueue host) {
        if (host.turn.jobs != null) {
            host.turn.jobs.settingsOutdated = false;
        }
        if (hasJobSettings()) {
            host.setPoliteness(forHost(host));
        }
    }

    private Politeness forHost(HostQueue host) {
        var merged = new Merged();
        counting(host).forEach(queue -> merged.add(forHost(queue.job, host.name)));
        return merged.result == null ? forHost(host.name) : merged.result;
    }

    private static final class Merged {
        private @Nullable Politeness result;

        private void add(Politeness own) {
            if (result == null) {
                result = own;
            } else if (!result.equals(own)) {
                result = result.mergeStrictest(own);
            }
        }
    }

    private Politeness forHost(int job, String host) {
        return rules(job).forHost(host);
    }

    /** Returns the politeness of a job on a host, with what other jobs have set. */
    HostPoliteness of(int job, HostQueue host) {
        return HostPoliteness.of(
                forHost(job, host.name),
                othersOn(host, job),
                rules(job).defaults,
                otherActive(job));
    }

    /** Returns the settings of other jobs that are in force for a job on a host. */
    List<ForeignSetting> foreignOn(int job, HostQueue host) {
        return ForeignSetting.onHost(forHost(job, host.name), othersOn(host, job));
    }

    private SortedMap<Integer, Politeness> othersOn(HostQueue host, int job) {
        var others = new TreeMap<Integer, Politeness>();
        for (var queue : counting(host)) {
            if (queue.job != job && isActive(queue.job)) {
                others.put(queue.job, forHost(queue.job, host.name));
            }
        }
        return others;
    }

    /** Returns the settings of other jobs that are in force for a job on all hosts. */
    List<ForeignSetting> foreignEverywhere(int job) {
        return ForeignSetting.everywhere(rules(job).defaults, otherActive(job));
    }

    private SortedMap<Integer, Politeness> otherActive(int job) {
        var others = new TreeMap<Integer, Politeness>();
        jobRules.forEach(
                (other, rules) -> {
                    if (other != job && isActive(other)) {
                        others.put(other, rules.defaults);
                    }
                });
        return others;
    }

    private Rules rules(int job) {
        return jobRules.getOrDefault(job, frontierRules);
    }

    /**
     * Returns the queues whose settings count: those of active jobs with work on the host; if none
     * has work, those of all active jobs.
     */
    private List<UrlQueue> counting(HostQueue host) {
        var jobs = host.turn.jobs;
        if (jobs == null) {
            return host.queues();
        }
        var counting = new ArrayList<UrlQueue>();
        jobs.forEachCounting(counting::add);
        return counting.isEmpty()
                ? host.queues().stream().filter(queue -> !queue.isSuspended()).toList()
                : counting;
    }
}
