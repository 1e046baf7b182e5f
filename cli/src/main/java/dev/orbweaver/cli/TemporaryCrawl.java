package dev.orbweaver.cli;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.engine.CrawlOpener;
import dev.orbweaver.model.CrawlEnd;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;

/**
 * A crawl in a temporary directory that is deleted at the end, also after Ctrl+C. The first signal
 * stops what runs at once; it is handled from before the directory exists. In a service its switch
 * does so, and the log is the service's.
 */
final class TemporaryCrawl implements AutoCloseable {

    private static final String PREFIX = "orbweaver-fetch-";

    private final Path directory;
    private final StopSwitch stop;
    private final boolean ownLog;

    private TemporaryCrawl(Path directory, StopSwitch stop, boolean ownLog) {
        this.directory = directory;
        this.stop = stop;
        this.ownLog = ownLog;
    }

    /** Creates the crawl of a command. */
    static TemporaryCrawl create() throws IOException {
        var stop = new StopSwitch();
        Signals.onFirst(stop);
        return new TemporaryCrawl(Files.createTempDirectory(PREFIX), stop, true);
    }

    /** Creates a crawl in a process that has others too. */
    static TemporaryCrawl createInService(StopSwitch stop) throws IOException {
        return new TemporaryCrawl(Files.createTempDirectory(PREFIX), stop, false);
    }

    Path directory() {
        return directory;
    }

    CrawlEnd run(CrawlConfig config) throws IOException, InterruptedException {
        try (Closeable _ = ownLog ? Logging.toDirectory(directory) : () -> {};
                var crawl = CrawlOpener.open(config, directory)) {
            stop.onStop(() -> crawl.stop(Duration.ZERO));
            return crawl.run();
        }
    }

    /** Sets what is stopped from now on. */
    void onStop(Runnable action) {
        stop.onStop(action);
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
