package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.VisitNumber;

import java.time.Instant;
import java.util.Optional;

/**
 * What the response to a visit showed, for a frontier that decides when the URL is visited again.
 *
 * @param digest a hash of the payload, or of the target of a redirect; 0 for neither
 * @param simHash of the text; 0 if it is unknown
 * @param changedAt when the document changed last, according to the server
 */
public record VisitResult(
        Kind kind,
        int status,
        Instant time,
        long digest,
        long simHash,
        Optional<Instant> changedAt,
        VisitNumber visit) {

    private static final int NOT_MODIFIED = 304;
    private static final int NOT_FOUND = 404;
    private static final int GONE = 410;

    public boolean isNotModified() {
        return status == NOT_MODIFIED;
    }

    public boolean isNotFound() {
        return kind == Kind.ERROR && (status == NOT_FOUND || status == GONE);
    }
}
