package dev.orbweaver.cli;

import dev.orbweaver.internal.engine.OpenCrawl;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ctrl+C, SIGTERM and the loss of the terminal. The first signal requests a graceful stop, the
 * second stops at once. A shutdown hook runs only once and cannot distinguish the two, so the
 * program handles the signals themselves.
 */
final class Signals {

    private static final List<String> HANDLED = List.of("INT", "TERM", "HUP");

    private Signals() {}

    /** Runs an action at the first signal; the second ends the process at once. */
    static void onFirst(Runnable action) {
        handle(action, Signals::halt);
    }

    /** The first signal stops a crawl within the grace period, the second at once. */
    static void stopOnSignal(OpenCrawl crawl, Duration grace, Terminal terminal) {
        handle(
                () -> {
                    crawl.stop(grace);
                    if (!terminal.interactive()) { // On a terminal the progress view shows it.
                        terminal.printError(
                                "stopping: requests in flight may finish within "
                                        + Numbers.shortDuration(grace)
                                        + "; a second signal stops at once");
                    }
                },
                () -> crawl.stop(Duration.ZERO));
    }

    /** Registers the handlers; a third signal halts a crawl that hangs, as on a failing disk. */
    private static void handle(Runnable first, Runnable second) {
        var count = new AtomicInteger();
        Runnable handler =
                () -> {
                    switch (count.incrementAndGet()) {
                        case 1 -> first.run();
                        case 2 -> second.run();
                        default -> halt();
                    }
                };
        for (var signal : HANDLED) {
            var _ = org.jline.utils.Signals.register(signal, handler);
        }
    }

    private static void halt() {
        KeyReader.restoreTerminal();
        Runtime.getRuntime().halt(ExitCode.INTERRUPTED.code());
    }
}
