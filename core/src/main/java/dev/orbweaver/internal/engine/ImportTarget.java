package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.frontier.SeedPosition;
import dev.orbweaver.internal.seeds.SeedReader;
import dev.orbweaver.model.HostPattern;
import dev.orbweaver.model.Ledger;

import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A crawl that has not begun, while another program's crawl is imported into it. Nothing is fetched
 * before {@link #finish}.
 */
public interface ImportTarget extends AutoCloseable {

    Ledger ledger() throws IOException;

    /** Reads the seed lists of the import to their end, from where the last run stopped. */
    void load(Consumer<SeedReader.Progress> progress) throws IOException, InterruptedException;

    /** Returns how far a list has been read. */
    SeedPosition position(String list);

    /** Adds hosts to those that the crawl excludes. */
    void exclude(Set<HostPattern> hosts) throws IOException;

    /**
     * Stores the robots.txt file of an origin, which is used until it expires.
     *
     * @return whether there is room for it; otherwise the crawl requests the file
     */
    boolean saveRobots(String origin, byte[] text, Instant expires, Instant now) throws IOException;

    /** Stores when another program made its last request to hosts. */
    void saveLastRequests(Map<String, Instant> lastRequests, Instant now) throws IOException;

    /** Makes it a crawl that can be run. */
    void finish() throws IOException;

    @Override
    void close() throws IOException;
}
