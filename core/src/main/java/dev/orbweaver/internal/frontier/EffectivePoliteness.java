package dev.orbweaver.internal.frontier;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How polite the jobs are, and what that means to a host: jobs that did not say are as the frontier
 * is, and where several jobs meet the strictest decides.
 */
final class EffectivePoliteness {

    /** A politeness with what its exceptions make of it. */
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

    /** Whether any job is otherwise than the frontier. */
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

    /** What holds for addresses, domains and groups, which nobody has to himself. */
    Politeness shared() {
        return shared;
    }

    /** What politeness means to a host that nobody has a queue for. */
    Politeness forHost(String host) {
        return frontierRules.forHost(host);
    }

    /** What it means to a host for which these queues are. */
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
