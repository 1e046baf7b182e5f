package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.Refusal;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The end of one lease and all its effects, committed as one.
 *
 * @param capture the sequence number of the capture, 0 if nothing was recorded
 * @param outlinks links that passed the scope, to be offered
 * @param refusedLinks by reason
 * @param linksDeferred whether there are links that are not offered yet because there was no space
 * @param result what a response showed; empty without one, and where the frontier does not need it
 */
public record Settlement(
        Lease lease,
        Outcome outcome,
        HostSignal signal,
        long capture,
        List<Candidate> outlinks,
        Map<Refusal, Integer> refusedLinks,
        boolean linksDeferred,
        Optional<VisitResult> result) {

    /** Bytes of a queued URL besides its text: key, job, hop, depth, parent, rank, time. */
    private static final int LINK_BYTES = 96;

    public Settlement {
        outlinks = List.copyOf(outlinks);
        refusedLinks = Map.copyOf(refusedLinks);
    }

    public Settlement(
            Lease lease,
            Outcome outcome,
            HostSignal signal,
            long capture,
            List<Candidate> found,
            Map<Refusal, Integer> refused) {
        this(lease, outcome, signal, capture, found, refused, false, Optional.empty());
    }

    /** Returns an upper bound of the bytes that its links occupy in a journal. */
    public long linkBytes() {
        var bytes = 0L;
        for (var candidate : outlinks) {
            bytes += candidate.url().text().length() + LINK_BYTES;
        }
        return bytes;
    }

    public Settlement withCapture(long number) {
        return new Settlement(
                lease, outcome, signal, number, outlinks, refusedLinks, linksDeferred, result);
    }

    /** Returns a copy without links: they are read from the capture when there is space. */
    public Settlement withDeferredLinks() {
        return new Settlement(lease, outcome, signal, capture, List.of(), Map.of(), true, result);
    }

    public Settlement withResult(VisitResult found) {
        return new Settlement(
                lease,
                outcome,
                signal,
                capture,
                outlinks,
                refusedLinks,
                linksDeferred,
                Optional.of(found));
    }

    /** Creates a settlement without links. */
    public static Settlement of(Lease lease, Outcome outcome, HostSignal signal) {
        return new Settlement(lease, outcome, signal, 0, List.of(), Map.of());
    }
}
