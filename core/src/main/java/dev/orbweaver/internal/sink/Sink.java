package dev.orbweaver.internal.sink;

import dev.orbweaver.model.Capture;
import dev.orbweaver.model.CommittedLength;

import java.io.IOException;
import java.util.List;

/** Stores captures. Many threads prepare (digests, compression), one appends. */
public interface Sink extends AutoCloseable {

    /** Does everything that needs no order. */
    PreparedCapture prepare(Capture capture) throws IOException;

    /** Appends a capture and returns its number. Its records must stay until the next commit. */
    default long write(PreparedCapture preparedCapture) throws IOException {
        return write(preparedCapture, false);
    }

    /** Notes whether the capture's links are to be read again later from what is written. */
    long write(PreparedCapture preparedCapture, boolean linksDeferred) throws IOException;

    /** Drops what was written since the last commit, after a failure. */
    void rollBack() throws IOException;

    /** Hands everything to the system and returns the files' lengths, the next commit point. */
    List<CommittedLength> commit() throws IOException;

    /** The frontier has made the last {@link #commit} durable. */
    default void confirmCommit() {}

    @Override
    void close() throws IOException;
}
