package dev.orbweaver.cli;

import org.jspecify.annotations.Nullable;

/** Stops what runs, also if the stop is requested before it has begun. */
final class StopSwitch implements Runnable {

    private @Nullable Runnable action;
    private boolean requested;

    @Override
    public synchronized void run() {
        requested = true;
        if (action != null) {
            action.run();
        }
    }

    /** Sets what is stopped from now on. */
    synchronized void onStop(Runnable stopping) {
        action = stopping;
        if (requested) {
            stopping.run();
        }
    }
}
