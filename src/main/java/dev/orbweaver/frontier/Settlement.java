package dev.orbweaver.frontier;

import dev.orbweaver.model.Refusal;

import java.util.List;
import java.util.Map;

/**
 * The end of one lease and all that follows from it, committed as one.
 *
 * @param found links that passed the scope, to be offered
 * @param refused links turned away, counted by reason
 */
public record Settlement(
        Lease lease,
        Outcome outcome,
        HostSignal signal,
        List<Candidate> found,
        Map<Refusal, Integer> refused) {

    /** Keeps the parts unchangeable. */
    public Settlement {
        found = List.copyOf(found);
        refused = Map.copyOf(refused);
    }

    /** A settlement that brings no links. */
    public static Settlement of(Lease lease, Outcome outcome, HostSignal signal) {
        return new Settlement(lease, outcome, signal, List.of(), Map.of());
    }
}
