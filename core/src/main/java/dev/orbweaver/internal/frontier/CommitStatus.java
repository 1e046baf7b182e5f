package dev.orbweaver.internal.frontier;

import java.io.IOException;

/** The result of a change to the frontier. */
public sealed interface CommitStatus {

    /** The change is stored and survives the death of the process. */
    record Durable() implements CommitStatus {}

    /**
     * The change is applied but not stored yet. The caller must not repeat the call; {@link
     * CrawlFrontier#flush} stores it, with every change before it, once the storage works again.
     * Until then the frontier issues no leases.
     */
    record Pending(StorageProblem problem) implements CommitStatus {}

    /**
     * The change is applied and will be stored soon, together with later ones: {@link
     * CrawlFrontier#storeStaged} tells when. Only {@link CrawlFrontier#stage} has this result.
     */
    record Staged() implements CommitStatus {}

    /**
     * The change is stored, except for leases that were no longer held: these changed nothing.
     *
     * @param leases the number of rejected leases
     */
    record Rejected(int leases) implements CommitStatus {}

    static CommitStatus durable() {
        return new Durable();
    }

    /** Returns {@link Durable}, unless leases were rejected. */
    static CommitStatus ofRejected(int leases) {
        return leases == 0 ? durable() : new Rejected(leases);
    }

    default boolean isStored() {
        return !(this instanceof Pending || this instanceof Staged);
    }

    /** Throws if the change is pending, for callers that cannot wait for the storage. */
    default void requireStored() throws IOException {
        if (this instanceof Pending(var problem)) {
            throw new IOException(problem.toString());
        }
    }
}
