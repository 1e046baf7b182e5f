package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CommittedLength;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** Where it is written down how long a crawl's output files are, beside the frontier. */
public interface CommittedLengths extends Closeable {

    /** The newest of each file. */
    List<CommittedLength> latest();

    /** Writes some down; once this returns they survive the death of the process. */
    void write(List<CommittedLength> marks) throws IOException;
}
