package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CommittedLength;

import java.util.List;

/** One commit: settlements in order, and how long each output file is that holds their captures. */
public record CommitBatch(List<Settlement> settlements, List<CommittedLength> committedLengths) {

    /**
     * How many bytes the links of one batch may take. A batch is one frame of the journal, which is
     * put together in memory and read back whole.
     */
    public static final long LINK_BYTES_MAX = 64L << 20;

    /** Keeps the parts unchangeable. */
    public CommitBatch {
        settlements = List.copyOf(settlements);
        committedLengths = List.copyOf(committedLengths);
    }
}
