package dev.orbweaver.internal.frontier;

/** The log to which a frontier writes its events before it reports them as applied. */
public interface EventLog extends AutoCloseable {

    /** Stores nothing, for a frontier in memory. */
    EventLog NONE =
            new EventLog() {
                @Override
                public void append(FrontierEvent event) {}

                @Override
                public CommitStatus commit() {
                    return CommitStatus.durable();
                }

                @Override
                public void abort() {}

                @Override
                public void close() {}
            };

    /** Adds an event to the current group. */
    void append(FrontierEvent event);

    /**
     * Stores the group atomically so that it survives the process, with any earlier group that
     * could not be written. A group that cannot be written is kept for a later call.
     */
    CommitStatus commit();

    /**
     * Discards every uncommitted event and accepts no more: no event is appended, no group
     * committed, and {@link #close} only releases open resources. It neither throws nor allocates,
     * because an OutOfMemoryError may be the cause.
     */
    void abort();

    @Override
    void close();
}
