package dev.orbweaver.internal.sink;

import dev.orbweaver.model.Body;

import java.io.IOException;

/** Takes the records of one capture. */
interface RecordOutput {

    /**
     * Adds a record.
     *
     * @param head its own head
     * @param blockHead what its block begins with
     * @param body what follows; only one record of a capture has one
     */
    void add(byte[] head, byte[] blockHead, Body body) throws IOException;

    long length();

    /** Without the body that belongs into the gap. */
    Body records() throws IOException;

    /** The place of the capture's body, or {@link PreparedCapture#BODY_INCLUDED}. */
    int bodyOffset();
}
