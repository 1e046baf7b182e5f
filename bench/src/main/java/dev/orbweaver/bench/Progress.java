package dev.orbweaver.bench;

import java.util.function.LongConsumer;

/** Prints the progress of a count to standard error periodically. */
final class Progress implements LongConsumer {

    private static final long EVERY = 100_000;

    private final String what;
    private long next = EVERY;

    Progress(String what) {
        this.what = what;
    }

    @Override
    public void accept(long count) {
        if (count >= next) {
            System.err.println("bench: " + count + " requests " + what);
            next = count - count % EVERY + EVERY;
        }
    }
}
