package dev.orbweaver.internal.frontier;

import java.io.IOException;

/** The result of a change to the frontier. */
public sealed interface CommitStatus {

    /** The change survives the death of the process. */
    record Durable() implements CommitStatus {}

    /**
     * The change is made, but not stored yet. The caller must not repeat the call; {@link
     * CrawlFrontier#flush} stores it, with every change before it, once the storage works again.
     * Until then the frontier leases nothing.
     */
    record Pending(StorageProblem problem) implements CommitStatus {}

    /**
     * The storage has the change, except for leases that were no longer held: these changed
     * nothing.
     *
     * @param leases how many
     */
    record Rejected(int leases) implements CommitStatus {}

    static CommitStatus durable() {
        return new Durable();
    }

    /** Durable, unless leases were rejected. */
    static CommitStatus ofRejected(int leases) {
        return leases == 0 ? durable() : new Rejected(leases);
    }

    default boolean isStored() {
        return !(this instanceof Pending);
    }

    /** For callers that cannot wait until the storage works again. */
    default void requireStored() throws IOException {
        if (this instanceof Pending(var problem)) {
            throw new IOException(problem.toString());
        }
    }
}
