package dev.orbweaver.frontier;

import dev.orbweaver.model.FileMark;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** Where it is written down how long a crawl's output files are, beside the frontier. */
public interface Marks extends Closeable {

    /** The newest of each file. */
    List<FileMark> last();

    /** Writes some down; once this returns they survive the death of the process. */
    void keep(List<FileMark> marks) throws IOException;
}
