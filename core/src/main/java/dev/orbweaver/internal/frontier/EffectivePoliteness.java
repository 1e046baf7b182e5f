package dev.orbweaver.internal.frontier;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The politeness settings of the jobs, and the settings that result for a host.
 *
 * <p>Jobs without settings use those of the frontier. If several jobs share a host, the strictest
 * settings apply.
 */
final class EffectivePoliteness {

    /** A job's settings, and the settings that result from each override. */
    private record Rules(Politeness defaults, List<Politeness> exceptions) {

        private static Rules of(Politeness politeness) {
            return new Rules(
                    politeness,
                    politeness.overrides().stream()
                            .map(exception -> exception.apply(politeness))
                            .toList());
        }

        private Politeness forHost(String host) {
            for (var i = 0; i < exceptions.size(); i++) {
                if (defaults.overrides().get(i).hosts().matches(host)) {
                    return exceptions.get(i);
                }
            }
            return defaults;
        }
    }

    private final Rules frontierRules;
    private final SortedMap<Integer, Rules> jobRules = new TreeMap<>();
    private Politeness shared;

    EffectivePoliteness(Politeness politeness) {
        this.frontierRules = Rules.of(politeness);
        this.shared = politeness;
    }

    boolean hasJobSettings() {
        return !jobRules.isEmpty();
    }

    void setPoliteness(int job, Politeness politeness) {
        jobRules.put(job, Rules.of(politeness));
        updateShared();
    }

    void removeJob(int job) {
        if (jobRules.remove(job) != null) {
            updateShared();
        }
    }

    private void updateShared() {
        shared =
                jobRules.values().stream()
                        .map(Rules::defaults)
                        .reduce(Politeness::mergeStrictest)
                        .orElse(frontierRules.defaults);
    }

    /** Returns the settings for addresses, domains and groups, which jobs share. */
    Politeness shared() {
        return shared;
    }

    /** Returns the settings for a host without queues. */
    Politeness forHost(String host) {
        return frontierRules.forHost(host);
    }

    Politeness forHost(HostQueue host) {
        var jobSettings = new ArrayList<Politeness>(1);
        for (var queue = host.firstQueue; queue != null; queue = queue.sibling) {
            jobSettings.add(jobRules.getOrDefault(queue.job, frontierRules).forHost(host.name));
        }
        return jobSettings.stream()
                .reduce(Politeness::mergeStrictest)
                .orElseGet(() -> forHost(host.name));
    }
}
