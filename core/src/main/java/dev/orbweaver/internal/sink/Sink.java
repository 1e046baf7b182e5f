package dev.orbweaver.internal.sink;

import dev.orbweaver.model.Capture;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CommittedLength;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Stores captures. Many threads prepare them (digests, compression), one thread appends them. */
public interface Sink extends AutoCloseable {

    /** Does the work that does not depend on order. */
    PreparedCapture prepare(Capture capture) throws IOException;

    /**
     * Appends a capture and returns its number. Its records must not be freed before the next
     * commit.
     */
    default long write(PreparedCapture preparedCapture) throws IOException {
        return write(preparedCapture, false);
    }

    /**
     * Returns the last visit of a URL that is visited again; empty if it is not here. Safe for any
     * thread.
     */
    default Optional<PreviousVisit> previousVisit(CaptureRef capture) throws IOException {
        return Optional.empty();
    }

    /** Appends a capture, and records whether its links must be read from it later. */
    long write(PreparedCapture preparedCapture, boolean linksDeferred) throws IOException;

    /** Discards everything written since the last commit, after a failure. */
    void rollBack() throws IOException;

    /**
     * Passes all bytes to the operating system and returns the files' lengths, the next commit
     * point.
     */
    List<CommittedLength> commit() throws IOException;

    /** Reports that the frontier has made the last {@link #commit} durable. */
    default void confirmCommit() {}

    @Override
    void close() throws IOException;
}
