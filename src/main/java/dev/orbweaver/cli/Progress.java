package dev.orbweaver.cli;

import dev.orbweaver.Orbweaver;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Shows a running crawl until it is closed: a block that repaints itself, or a line every few
 * seconds.
 */
final class Progress {

    private static final Duration REPAINT = Duration.ofMillis(250);
    private static final Duration PLAIN_LINE = Duration.ofSeconds(5);

    private final Terminal terminal;
    private final Orbweaver crawl;
    private final ProgressView view;
    private final NewestErrors errors;
    private final Thread thread;
    private int painted;

    private Progress(Terminal terminal, Orbweaver crawl, ProgressView view, NewestErrors errors) {
        this.errors = errors;
        this.terminal = terminal;
        this.crawl = crawl;
        this.view = view;
        this.thread = Thread.ofPlatform().daemon().name("progress").unstarted(this::run);
    }

    static Progress start(
            Terminal terminal, Orbweaver crawl, ProgressView view, NewestErrors errors) {
        var progress = new Progress(terminal, crawl, view, errors);
        progress.thread.start();
        return progress;
    }

    private void run() {
        var every = terminal.interactive() ? REPAINT : PLAIN_LINE;
        try {
            view.observe(crawl.status()); // The first rate is counted from here.
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
            repaint(
                    view.block(
                            status,
                            crawl.stores(),
                            crawl.hosts(ProgressView.HOSTS),
                            errors.lines(),
                            Instant.now()));
        } else {
            terminal.out().println(view.plainLine(status, crawl.stores(), Instant.now()));
        }
    }

    private void repaint(List<String> lines) {
        var text = new StringBuilder();
        if (painted > 0) {
            text.append("\u001b[%dA\r\u001b[J".formatted(painted));
        }
        lines.forEach(line -> text.append(cut(line)).append('\n'));
        terminal.out().print(text);
        terminal.out().flush();
        painted = lines.size();
    }

    /** A line that wraps would spoil the counting of lines. */
    private String cut(String line) {
        return line.length() <= terminal.columns() ? line : line.substring(0, terminal.columns());
    }

    /** Stops showing and leaves the last state standing, up to date. */
    void close() throws InterruptedException {
        thread.interrupt();
        thread.join();
        if (terminal.interactive()) {
            show();
        }
    }
}
