package dev.orbweaver.cli;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.engine.CrawlOpener;
import dev.orbweaver.model.CrawlEnd;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;

/**
 * A crawl in a temporary directory that is deleted at the end, also after Ctrl+C. The first signal
 * stops what runs at once; it is handled from before the directory exists.
 */
final class TemporaryCrawl implements AutoCloseable {

    private final Path directory;
    private final Stop stop;

    private TemporaryCrawl(Path directory, Stop stop) {
        this.directory = directory;
        this.stop = stop;
    }

    static TemporaryCrawl create() throws IOException {
        var stop = new Stop();
        Signals.onFirst(stop);
        return new TemporaryCrawl(Files.createTempDirectory("orbweaver-fetch-"), stop);
    }

    Path directory() {
        return directory;
    }

    CrawlEnd run(CrawlConfig config) throws IOException, InterruptedException {
        try (var _ = Logging.toDirectory(directory);
                var crawl = CrawlOpener.open(config, directory)) {
            stop.onSignal(() -> crawl.stop(Duration.ZERO));
            return crawl.run();
        }
    }

    /** Sets what a signal stops from now on. */
    void onSignal(Runnable action) {
        stop.onSignal(action);
    }

    /** A signal may come before the crawl is open. */
    private static final class Stop implements Runnable {

        private @Nullable Runnable action;
        private boolean requested;

        @Override
        public synchronized void run() {
            requested = true;
            if (action != null) {
                action.run();
            }
        }

        synchronized void onSignal(Runnable stopping) {
            action = stopping;
            if (requested) {
                stopping.run();
            }
        }
    }

    @Override
    public void close() throws IOException {
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
