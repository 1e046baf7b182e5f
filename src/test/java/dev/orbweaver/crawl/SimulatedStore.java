package dev.orbweaver.crawl;

import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.sink.Prepared;
import dev.orbweaver.sink.Sink;

import java.util.ArrayList;
import java.util.List;

/** A sink in memory that is cut back to its mark when a process opens it, as a file is. */
final class SimulatedStore implements Sink {

    private static final String NAME = "store";

    /** What is kept of a capture. */
    record Entry(Capture.Kind kind, String url) {}

    private final boolean keeping;
    private final List<Entry> entries = new ArrayList<>();
    private long written;
    private long committed;

    /** A store that keeps its entries, or only counts them. */
    SimulatedStore(boolean keeping) {
        this.keeping = keeping;
    }

    List<Entry> entries() {
        return entries;
    }

    /** How many captures are committed. */
    long committed() {
        return committed;
    }

    /** What lies beyond the committed length never happened. */
    void reopen(List<FileMark> marks) {
        written = marks.stream().mapToLong(FileMark::length).findFirst().orElse(0);
        committed = written;
        while (entries.size() > written) {
            entries.removeLast();
        }
        if (keeping && entries.size() < written) {
            throw new AssertionError(written + " committed, " + entries.size() + " written");
        }
    }

    @Override
    public Prepared prepare(Capture capture) {
        return new Prepared(capture, Body.EMPTY, "", 0);
    }

    @Override
    public long write(Prepared prepared, boolean linksDeferred) {
        if (keeping) {
            entries.add(new Entry(prepared.capture().kind(), prepared.capture().url().text()));
        }
        return ++written;
    }

    @Override
    public void rollBack() {
        throw new AssertionError("a store in memory takes everything");
    }

    @Override
    public List<FileMark> commit() {
        committed = written;
        return List.of(new FileMark(NAME, written, 7));
    }

    @Override
    public void close() {}
}
