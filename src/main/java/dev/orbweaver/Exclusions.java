package dev.orbweaver;

import dev.orbweaver.config.ExclusionList;
import dev.orbweaver.crawl.Crawl;
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

/**
 * Keeps a crawl to lists of hosts to be left alone. The files are looked at every second, so that a
 * list that somebody edits, or that the command writes, is obeyed by a crawl that runs.
 */
final class Exclusions implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Exclusions.class);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final Duration GIVE_UP = Duration.ofSeconds(5);

    private final List<Path> files;
    private final Crawl crawl;
    private final Thread watch;
    private final Set<Path> met = new HashSet<>();
    private Optional<String> seen = Optional.empty();

    /** Reads the lists, which must be in order to begin with, and goes on looking at them. */
    Exclusions(List<Path> files, Crawl crawl) throws IOException {
        this.files = List.copyOf(files);
        this.crawl = crawl;
        look();
        this.watch = Thread.ofVirtual().name("exclusions").start(this::watch);
    }

    private void watch() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                Thread.sleep(LOOK_EVERY);
                look();
            } catch (InterruptedException e) {
                return; // The crawl is over.
            } catch (IOException | RuntimeException e) {
                LOG.warn("the list of excluded hosts stays as it was: {}", e.getMessage());
            }
        }
    }

    private synchronized void look() throws IOException {
        var now = state();
        if (seen.filter(now::equals).isEmpty()) {
            seen = Optional.of(now); // A list with an error in it is complained of once.
            var patterns = new ArrayList<HostPattern>();
            for (var file : files) {
                if (Files.exists(file)) {
                    met.add(file);
                } else if (met.contains(file)) {
                    // Perhaps an editor is at work; to let hosts in again, empty the list.
                    throw new IOException(file + " is gone");
                }
                patterns.addAll(ExclusionList.read(file));
            }
            crawl.exclude(new HostSet(patterns));
        }
    }

    private String state() throws IOException {
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
        watch.interrupt();
        try {
            if (!watch.join(GIVE_UP)) {
                LOG.warn("the list of excluded hosts is still being read");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
