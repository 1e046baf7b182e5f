package dev.orbweaver.cli;

import dev.orbweaver.internal.frontier.FrontierUnavailableException;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Displays a fleet every second until the user quits; keeps trying while Redis is unavailable. */
record FleetMonitor(
        Screen screen, FleetView view, Source source, InstantSource clock, Duration interval) {

    interface Source {
        FleetSample sample(Instant now) throws IOException;
    }

    /** Displays the fleet at least once. */
    void run(CountDownLatch quit) throws InterruptedException {
        do {
            try {
                view.observe(source.sample(clock.instant()));
            } catch (IOException | FrontierUnavailableException e) {
                view.unreachable(String.valueOf(e.getMessage()));
            }
            screen.show(view.block(clock.instant()));
        } while (!quit.await(interval.toMillis(), TimeUnit.MILLISECONDS));
    }
}
