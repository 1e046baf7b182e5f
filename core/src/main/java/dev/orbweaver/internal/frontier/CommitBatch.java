package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CommittedLength;

import java.util.List;

/** One commit: settlements in order, and the lengths of the output files with their captures. */
public record CommitBatch(List<Settlement> settlements, List<CommittedLength> committedLengths) {

    /**
     * Maximum bytes of the links of one batch. A batch is one frame of the journal, which is
     * assembled and read in memory as a whole.
     */
    public static final long LINK_BYTES_MAX = 64L << 20;

    public CommitBatch {
        settlements = List.copyOf(settlements);
        committedLengths = List.copyOf(committedLengths);
    }
}
