package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Refusal;

import java.util.Map;

/** The frontier's figures at one moment. */
public record FrontierStats(
        Ledger ledger,
        Hosts hosts,
        Map<FailureCause, Long> deadByCause,
        Map<Refusal, Long> refusedByReason) {

    /** Hosts with work by what they are doing; those without are idle. */
    public record Hosts(int idle, int waiting, int ready, int busy, int resting) {

        /** Every host ever met. */
        public int total() {
            return idle + waiting + ready + busy + resting;
        }
    }

    /** Keeps the parts unchangeable. */
    public FrontierStats {
        deadByCause = Map.copyOf(deadByCause);
        refusedByReason = Map.copyOf(refusedByReason);
    }
}
