package dev.orbweaver.internal.frontier;

/** Where a frontier writes its events before it reports that they have happened. */
public interface EventLog extends AutoCloseable {

    /** For a frontier in memory. */
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
     * Makes the group survive the process, all of it or none; and any group before it that could
     * not be written. A group that cannot be written is kept for later.
     */
    CommitStatus commit();

    /**
     * Drops every event that was not committed and accepts no more: no event is appended, no group
     * committed, and {@link #close} only releases what is open. It neither throws nor allocates, as
     * memory may be what ran out.
     */
    void abort();

    @Override
    void close();
}
