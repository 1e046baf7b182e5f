package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.crawl.Crawl;
import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;

/**
 * Writes what only a running crawl knows of itself into its folder every few seconds, for those who
 * ask from outside. The file is gone once there is a summary.
 */
final class ProgressWriter implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ProgressWriter.class);
    private static final Duration WRITE_INTERVAL = Duration.ofSeconds(2);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private final Path file;
    private final Crawl crawl;
    private final Thread writer;

    ProgressWriter(Path directory, Crawl crawl) {
        this.file = directory.resolve(DirectoryLayout.PROGRESS);
        this.crawl = crawl;
        this.writer = Thread.ofVirtual().name("live figures").start(this::run);
    }

    private void run() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                Thread.sleep(WRITE_INTERVAL);
                write();
            } catch (InterruptedException e) {
                return; // The crawl is over.
            } catch (RuntimeException e) {
                // One figure that cannot be told is no reason to tell none from then on.
                LOG.warn("{} is not up to date", DirectoryLayout.PROGRESS, e);
            } catch (IOException e) {
                LOG.debug("{} is not up to date: {}", DirectoryLayout.PROGRESS, e.getMessage());
            }
        }
    }

    private void write() throws IOException {
        writeTo(file, crawl.status());
    }

    /** Writes the status of a crawl whose writer is closed. */
    static void write(Path directory, CrawlStatus status) {
        try {
            writeTo(directory.resolve(DirectoryLayout.PROGRESS), status);
        } catch (IOException e) {
            LOG.debug("{} is not up to date: {}", DirectoryLayout.PROGRESS, e.getMessage());
        }
    }

    private static void writeTo(Path file, CrawlStatus status) throws IOException {
        var next = file.resolveSibling(DirectoryLayout.PROGRESS + ".new");
        var json = JsonMapper.shared().writeValueAsString(ProgressSnapshot.of(status));
        Files.writeString(next, AtomicFile.withChecksum(json + "\n"));
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void close() throws IOException {
        writer.interrupt();
        try {
            if (!writer.join(CLOSE_TIMEOUT)) {
                LOG.warn("{} is still being written", DirectoryLayout.PROGRESS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Files.deleteIfExists(file);
    }
}
