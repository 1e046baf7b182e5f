package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.Workbench;
import dev.orbweaver.internal.frontier.WorkbenchInspector;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Fingerprint;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * The states of many URLs of a frontier with one job, read in one pass over its files. Other
 * readers search the queue of a host for each URL.
 *
 * @param seen those that were accepted
 * @param queued those that wait for their turn
 */
public record QueuedUrls(Set<Fingerprint> seen, Set<Fingerprint> queued) {

    /**
     * Reads a frontier that no process has open.
     *
     * @param urls of the crawl, with the key of its frontier
     * @param wanted the URLs to look for
     */
    public static QueuedUrls read(Path frontier, CrawlUrls urls, Collection<Fingerprint> wanted)
            throws IOException {
        var disk = new RealDisk();
        var settings = DiskSettings.of(urls);
        var all = Set.copyOf(wanted);
        var found = new QueuedUrls(new HashSet<>(), new HashSet<>());
        try (var store = new DiskStore(disk, frontier, settings)) {
            var bench = new Workbench(Politeness.DEFAULT, store);
            var journal = Journal.open(disk, frontier, settings, store, bench);
            WorkbenchInspector.describe(
                    bench,
                    event -> {
                        switch (event) {
                            case FrontierEvent.Seen(var _, var keys) ->
                                    keys.stream().filter(all::contains).forEach(found.seen::add);
                            case FrontierEvent.QueuedUrlState(var url) -> {
                                if (all.contains(url.url().url().key())) {
                                    found.queued.add(url.url().url().key());
                                }
                            }
                            default -> {}
                        }
                    });
            journal.abort(); // Nothing was changed, so there is nothing to write.
            journal.close();
        }
        return found;
    }
}
