package dev.orbweaver.internal.frontier;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The politeness settings of the jobs, and what follows for a host: jobs without settings use those
 * of the frontier, and where several jobs share a host the strictest settings apply.
 */
final class EffectivePoliteness {

    /** Settings, and what each override makes of them. */
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

    /** The settings for addresses, domains and groups, which jobs share. */
    Politeness shared() {
        return shared;
    }

    /** For a host without queues. */
    Politeness forHost(String host) {
        return frontierRules.forHost(host);
    }

    Politeness forHost(HostQueue host) {
        var asked = new ArrayList<Politeness>(1);
        for (var queue = host.firstQueue; queue != null; queue = queue.sibling) {
            asked.add(jobRules.getOrDefault(queue.job, frontierRules).forHost(host.name));
        }
        return asked.stream()
                .reduce(Politeness::mergeStrictest)
                .orElseGet(() -> forHost(host.name));
    }
}
