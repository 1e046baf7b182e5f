package dev.orbweaver.internal.sink;

import dev.orbweaver.model.Capture;
import dev.orbweaver.model.CommittedLength;

import java.io.IOException;
import java.util.List;

/**
 * Where captures go. Many threads prepare, one writes: what needs no order (digests, compression)
 * is done by whoever made the capture, and only appending is left to the committer.
 */
public interface Sink extends AutoCloseable {

    /** Does everything that can be done before the capture's turn comes. */
    PreparedCapture prepare(Capture capture) throws IOException;

    /**
     * Appends a capture and returns its sequence number. Nothing is promised before the next
     * commit, until which its records must stay where they are.
     */
    default long write(PreparedCapture preparedCapture) throws IOException {
        return write(preparedCapture, false);
    }

    /**
     * The same.
     *
     * @param linksDeferred whether the capture's links are to be read again from what is written
     */
    long write(PreparedCapture preparedCapture, boolean linksDeferred) throws IOException;

    /**
     * Forgets what was written since the last commit, after a write has failed; the same captures
     * can then be written again.
     */
    void rollBack() throws IOException;

    /**
     * Hands everything to the operating system and says how long each file is: the frontier makes
     * that the commit point.
     */
    List<CommittedLength> commit() throws IOException;

    /** The frontier has made the last {@link #commit} durable. */
    default void confirmCommit() {}

    @Override
    void close() throws IOException;
}
