package dev.orbweaver.internal.frontier;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * A read of the frontier failed because its storage is unavailable. Nothing was changed, or only
 * what a repeated call changes again, so the caller may repeat it. Changes that wait to be stored
 * are reported by {@link CommitStatus.Pending} instead.
 */
public final class FrontierUnavailableException extends UncheckedIOException {

    private static final long serialVersionUID = 1;

    private final StorageProblem problem;

    public FrontierUnavailableException(StorageProblem problem, IOException cause) {
        super(problem.toString(), cause);
        this.problem = problem;
    }

    public StorageProblem problem() {
        return problem;
    }
}
