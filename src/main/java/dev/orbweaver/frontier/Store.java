package dev.orbweaver.frontier;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.url.FingerprintKey;

import java.util.function.BiConsumer;

/**
 * Where a {@link Workbench} keeps what grows with the crawl: keys seen, URLs that wait long, dead
 * letters.
 */
public interface Store {

    /** The key under which fingerprints are taken. */
    FingerprintKey fingerprintKey();

    /** The keys of a job. */
    SeenSet seen(int job);

    /** URLs put away. */
    Shelf shelf();

    /** The URL that a text was once taken from. */
    CrawlUrl url(String text);

    /** Keeps a URL that was given up. */
    void bury(FrontierEvent.Restored url, FailureCause cause);

    /** Lets go of a URL that was given up and is to be tried again. */
    void revive(FrontierEvent.Revived letter);

    /** Every URL given up and not taken back since, in order. */
    void dead(BiConsumer<FrontierEvent.Restored, FailureCause> action);

    /** A file as a snapshot names it; told before the snapshot ends. */
    void filed(FrontierEvent.Filed file);

    /** The snapshot has been read; what comes from now on happened after it. */
    void begin();

    /** The segment of this number, with all that was in the nursery, joins the shelf. */
    void shelved(long segment);

    /** About how many bytes a queued URL takes. */
    int bytesPerUrl();

    /** Forgets what belongs to a job alone. */
    void deleteJob(int job);
}
