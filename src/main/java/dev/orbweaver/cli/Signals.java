package dev.orbweaver.cli;

import dev.orbweaver.Orbweaver;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ctrl+C and SIGTERM. The first asks for a graceful stop, the second stops at once. A shutdown hook
 * is run only once and could not tell the two apart, so the signals themselves are listened to.
 */
final class Signals {

    private Signals() {}

    /** Runs something at the first signal; the second ends the process at once. */
    static void first(Runnable action) {
        var count = new AtomicInteger();
        Runnable handler =
                () -> {
                    if (count.incrementAndGet() == 1) {
                        action.run();
                    } else {
                        Runtime.getRuntime().halt(ExitCode.INTERRUPTED.code());
                    }
                };
        var _ = org.jline.utils.Signals.register("INT", handler);
        var _ = org.jline.utils.Signals.register("TERM", handler);
    }

    static void stop(Orbweaver crawl, Duration grace, Terminal terminal) {
        var count = new AtomicInteger();
        Runnable handler =
                () -> {
                    if (count.incrementAndGet() == 1) {
                        crawl.stop(grace);
                        if (!terminal.interactive()) { // There the view says so itself.
                            terminal.err()
                                    .println(
                                            "stopping: pages under way may finish within "
                                                    + Numbers.shortly(grace)
                                                    + "; once more stops at once");
                        }
                    } else {
                        crawl.stop(Duration.ZERO);
                    }
                };
        var _ = org.jline.utils.Signals.register("INT", handler);
        var _ = org.jline.utils.Signals.register("TERM", handler);
    }
}
