package dev.orbweaver.internal.directory;

import dev.orbweaver.internal.config.ExclusionList;
import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.model.HostPattern;
import dev.orbweaver.model.HostSet;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Applies exclusion lists to a running crawl. It reads the files every second. */
public final class ExclusionListWatcher implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ExclusionListWatcher.class);
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private final List<Path> files;
    private final Consumer<HostSet> exclude;
    private final Thread thread;
    private final Set<Path> existingFiles = new HashSet<>();
    private Optional<String> lastState = Optional.empty();

    /** Reads the lists, which must be valid now, and reads them again after each change. */
    public ExclusionListWatcher(List<Path> files, Consumer<HostSet> exclude) throws IOException {
        this.files = List.copyOf(files);
        this.exclude = exclude;
        reloadIfChanged();
        this.thread = Thread.ofVirtual().name("exclusions").start(this::pollFiles);
    }

    private void pollFiles() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                Thread.sleep(POLL_INTERVAL);
                reloadIfChanged();
            } catch (InterruptedException e) {
                return; // The crawl is over.
            } catch (FrontierUnavailableException e) {
                lastState = Optional.empty(); // Retried until the storage is available.
                LOG.warn(
                        "could not apply the list of excluded hosts yet, retrying: {}",
                        e.getMessage());
            } catch (IOException | RuntimeException e) {
                LOG.warn(
                        "could not read the list of excluded hosts, keeping the previous one: {}",
                        e.getMessage());
            }
        }
    }

    private synchronized void reloadIfChanged() throws IOException {
        var now = filesState();
        if (lastState.filter(now::equals).isEmpty()) {
            lastState = Optional.of(now); // An invalid list is logged once.
            var patterns = new ArrayList<HostPattern>();
            for (var file : files) {
                if (Files.exists(file)) {
                    existingFiles.add(file);
                } else if (existingFiles.contains(file)) {
                    // An editor may be replacing the file. To allow all hosts again, the operator
                    // empties the list.
                    throw new IOException(file + " does not exist");
                }
                patterns.addAll(ExclusionList.read(file));
            }
            exclude.accept(new HostSet(patterns));
        }
    }

    private String filesState() throws IOException {
        var state = new StringBuilder();
        for (var file : files) {
            if (Files.exists(file)) {
                state.append(Files.getLastModifiedTime(file)).append(' ');
                state.append(Files.size(file)).append('\n');
            }
        }
        return state.toString();
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            if (!thread.join(CLOSE_TIMEOUT)) {
                LOG.warn("the list of excluded hosts is still being read; stopping without it");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
