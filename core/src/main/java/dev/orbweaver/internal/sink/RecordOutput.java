package dev.orbweaver.internal.sink;

import dev.orbweaver.model.Body;

import java.io.IOException;

/** Receives the records of one capture. */
interface RecordOutput {

    /**
     * Adds a record.
     *
     * @param head the record's own head
     * @param blockHead the start of its block
     * @param body the rest of its block; only one record of a capture has one
     */
    void add(byte[] head, byte[] blockHead, Body body) throws IOException;

    long length();

    /** Returns the records, without the body to be inserted. */
    Body records() throws IOException;

    /** Returns the offset of the capture's body, or {@link PreparedCapture#BODY_INCLUDED}. */
    int bodyOffset();
}
