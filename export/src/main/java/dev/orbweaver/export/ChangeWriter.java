package dev.orbweaver.export;

import java.io.IOException;

/** Writes changed pages in one format. */
interface ChangeWriter {

    void write(PageChange change) throws IOException;

    default void finish() throws IOException {}
}
