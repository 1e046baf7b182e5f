package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.sink.PreparedCapture;
import dev.orbweaver.internal.sink.Sink;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.CommittedLength;

import java.util.ArrayList;
import java.util.List;

/**
 * A sink in memory that is truncated to its committed length when a process opens it, like a file.
 */
final class SimulatedSink implements Sink {

    private static final String NAME = "store";

    /** The part of a capture that is kept. */
    record Entry(Capture.Kind kind, String url) {}

    private final boolean keepCaptures;
    private final List<Entry> entries = new ArrayList<>();
    private long written;
    private long committed;

    /** Creates a sink that keeps its entries, or only counts them. */
    SimulatedSink(boolean keeping) {
        this.keepCaptures = keeping;
    }

    List<Entry> entries() {
        return entries;
    }

    /** Returns the number of committed captures. */
    long committed() {
        return committed;
    }

    /** Discards what is beyond the committed length. */
    void reopen(List<CommittedLength> marks) {
        written = marks.stream().mapToLong(CommittedLength::length).findFirst().orElse(0);
        committed = written;
        while (entries.size() > written) {
            entries.removeLast();
        }
        if (keepCaptures && entries.size() < written) {
            throw new AssertionError(written + " committed, " + entries.size() + " written");
        }
    }

    @Override
    public PreparedCapture prepare(Capture capture) {
        return new PreparedCapture(capture, Body.EMPTY, "", 0);
    }

    @Override
    public long write(PreparedCapture preparedCapture, boolean linksDeferred) {
        if (keepCaptures) {
            entries.add(
                    new Entry(
                            preparedCapture.capture().kind(),
                            preparedCapture.capture().url().text()));
        }
        return ++written;
    }

    @Override
    public void rollBack() {
        throw new AssertionError("a store in memory takes everything");
    }

    @Override
    public List<CommittedLength> commit() {
        committed = written;
        return List.of(new CommittedLength(NAME, written, 7));
    }

    @Override
    public void close() {}
}
