package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CommittedLength;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** Stores the committed lengths of a crawl's output files beside the frontier. */
public interface CommittedLengths extends Closeable {

    /** Returns the newest length of each file. */
    List<CommittedLength> latest();

    /** Stores lengths. Once this returns, they survive the death of the process. */
    void write(List<CommittedLength> marks) throws IOException;
}
