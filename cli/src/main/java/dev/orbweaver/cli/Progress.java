package dev.orbweaver.cli;

import dev.orbweaver.internal.engine.OpenCrawl;

import java.time.Duration;
import java.time.Instant;

/** Displays a running crawl: a block that is repainted, or without a terminal a line every 5 s. */
final class Progress {

    private static final Duration REPAINT_INTERVAL = Duration.ofMillis(250);
    private static final Duration LINE_INTERVAL = Duration.ofSeconds(5);

    private final Terminal terminal;
    private final OpenCrawl crawl;
    private final ProgressView view;
    private final RecentErrors errors;
    private final Screen screen;
    private final Thread thread;

    private Progress(Terminal terminal, OpenCrawl crawl, ProgressView view, RecentErrors errors) {
        this.errors = errors;
        this.terminal = terminal;
        this.crawl = crawl;
        this.view = view;
        this.screen = new Screen(terminal);
        this.thread = Thread.ofPlatform().daemon().name("progress").unstarted(this::run);
    }

    static Progress start(
            Terminal terminal, OpenCrawl crawl, ProgressView view, RecentErrors errors) {
        var progress = new Progress(terminal, crawl, view, errors);
        progress.thread.start();
        return progress;
    }

    private void run() {
        var every = terminal.interactive() ? REPAINT_INTERVAL : LINE_INTERVAL;
        try {
            view.observe(crawl.status()); // The first rate is measured from here.
            while (true) {
                if (terminal.interactive()) {
                    show();
                }
                Thread.sleep(every);
                if (!terminal.interactive()) {
                    show();
                }
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private void show() {
        var status = crawl.status();
        view.observe(status);
        if (terminal.interactive()) {
            screen.show(
                    view.block(
                            status,
                            crawl.sinkStatus(),
                            crawl.hosts(ProgressView.HOSTS_SAMPLED),
                            errors.lines(),
                            Instant.now()));
        } else {
            terminal.print(view.plainLine(status, crawl.sinkStatus(), Instant.now()));
        }
    }

    /** Stops the display after showing the final state. */
    void close() throws InterruptedException {
        thread.interrupt();
        thread.join();
        if (terminal.interactive()) {
            show();
        }
    }
}
