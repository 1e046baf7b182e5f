package dev.orbweaver.internal.frontier;

/** Where a frontier writes what it does before it says that it has done it. */
public interface EventLog extends AutoCloseable {

    /** Forgets everything: the log of a frontier that lives in memory only. */
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

    /** Adds an event to the group being written. */
    void append(FrontierEvent event);

    /**
     * Makes the group survive the process, all of it or none; and any group before it that could
     * not be written. A group that cannot be written is kept for later.
     */
    CommitStatus commit();

    /**
     * Drops every event that was not committed and takes no more: no event is appended, no group
     * committed, and {@link #close} only releases what is open. It neither throws nor allocates, as
     * memory may be what ran out.
     */
    void abort();

    @Override
    void close();
}
