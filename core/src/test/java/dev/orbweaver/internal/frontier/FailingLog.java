package dev.orbweaver.internal.frontier;

/**
 * A log that throws at one of its events: for odd numbers before the event is appended, for even
 * ones after it.
 */
public final class FailingLog implements EventLog {

    private final EventLog log;
    private int left = Integer.MAX_VALUE;
    private boolean behind;
    private int appended;

    /** Creates a log that does not fail yet. */
    public FailingLog(EventLog log) {
        this.log = log;
    }

    /** Makes one of the next events fail: 1 and 2 are the next one, before and after it. */
    public void failAt(int count) {
        left = (count + 1) / 2;
        behind = count % 2 == 0;
    }

    /** Returns the number of events appended so far. */
    public int appended() {
        return appended;
    }

    @Override
    public void append(FrontierEvent event) {
        var fails = --left == 0;
        if (!fails || behind) {
            log.append(event);
            appended++;
        }
        if (fails) {
            fail();
        }
    }

    private void fail() {
        switch (appended % 3) {
            case 0 -> throw new OutOfMemoryError("injected");
            case 1 -> throw new StackOverflowError("injected");
            default -> throw new IllegalStateException("injected");
        }
    }

    @Override
    public CommitStatus commit() {
        return log.commit();
    }

    @Override
    public void abort() {
        log.abort();
    }

    @Override
    public void close() {
        log.close();
    }
}
