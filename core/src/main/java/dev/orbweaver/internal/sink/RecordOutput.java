package dev.orbweaver.internal.sink;

import dev.orbweaver.model.Body;

import java.io.IOException;

/** Takes the records of one capture, one after another. */
interface RecordOutput {

    /**
     * Adds a record.
     *
     * @param head its own head
     * @param blockHead what its block begins with
     * @param body what follows; only one record of a capture has one
     */
    void add(byte[] head, byte[] blockHead, Body body) throws IOException;

    /** How long the records are so far. */
    long length();

    /** The records, but for what belongs into the gap. */
    Body records() throws IOException;

    /**
     * Where in the records the capture's body belongs, or {@link PreparedCapture#BODY_INCLUDED}.
     */
    int bodyOffset();
}
