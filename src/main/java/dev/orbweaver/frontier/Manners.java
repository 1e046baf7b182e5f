package dev.orbweaver.frontier;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How polite the jobs are, and what that means to a host: jobs that did not say are as the frontier
 * is, and where several jobs meet the strictest decides.
 */
final class Manners {

    /** A politeness with what its exceptions make of it. */
    private record Rules(Politeness usual, List<Politeness> exceptions) {

        private static Rules of(Politeness politeness) {
            return new Rules(
                    politeness,
                    politeness.exceptions().stream()
                            .map(exception -> exception.apply(politeness))
                            .toList());
        }

        private Politeness to(String host) {
            for (var i = 0; i < exceptions.size(); i++) {
                if (usual.exceptions().get(i).hosts().matches(host)) {
                    return exceptions.get(i);
                }
            }
            return usual;
        }
    }

    private final Rules frontiers;
    private final SortedMap<Integer, Rules> ofJobs = new TreeMap<>();
    private Politeness shared;

    Manners(Politeness politeness) {
        this.frontiers = Rules.of(politeness);
        this.shared = politeness;
    }

    /** Whether any job is otherwise than the frontier. */
    boolean differ() {
        return !ofJobs.isEmpty();
    }

    void keepTo(int job, Politeness politeness) {
        ofJobs.put(job, Rules.of(politeness));
        share();
    }

    void forget(int job) {
        if (ofJobs.remove(job) != null) {
            share();
        }
    }

    private void share() {
        shared =
                ofJobs.values().stream()
                        .map(Rules::usual)
                        .reduce(Politeness::andStricter)
                        .orElse(frontiers.usual);
    }

    /** What holds for addresses, domains and groups, which nobody has to himself. */
    Politeness shared() {
        return shared;
    }

    /** What politeness means to a host that nobody has a queue for. */
    Politeness to(String host) {
        return frontiers.to(host);
    }

    /** What it means to a host for which these queues are. */
    Politeness to(HostQueue host) {
        var asked = new ArrayList<Politeness>(1);
        for (var queue = host.first; queue != null; queue = queue.sibling) {
            asked.add(ofJobs.getOrDefault(queue.job, frontiers).to(host.name));
        }
        return asked.stream().reduce(Politeness::andStricter).orElseGet(() -> to(host.name));
    }
}
