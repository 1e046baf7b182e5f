package dev.orbweaver.frontier;

/** Where a frontier writes what it does before it says that it has done it. */
public interface EventLog extends AutoCloseable {

    /** Forgets everything: the log of a frontier that lives in memory only. */
    EventLog NONE =
            new EventLog() {
                @Override
                public void append(FrontierEvent event) {}

                @Override
                public void commit() {}

                @Override
                public void close() {}
            };

    /** Adds an event to the group being written. */
    void append(FrontierEvent event);

    /**
     * Makes the group survive the process, all of it or none; and any group before it that could
     * not be written.
     *
     * @throws FrontierBlockedException when the disk does not take it; it is kept for later
     */
    void commit();

    @Override
    void close();
}
