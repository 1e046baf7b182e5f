package dev.orbweaver;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.model.CrawlReport;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.spi.PageHandlerException;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * A crawl that is open in a directory: {@link #run} crawls until the end, the other methods control
 * and observe it meanwhile. While it is open, no other process can crawl into the directory.
 *
 * <p>All methods except {@link #run} and {@link #close} may be called from any thread, and from
 * page handlers.
 */
public interface RunningCrawl extends AutoCloseable {

    /**
     * Crawls until nothing is left, a limit is reached, or {@link #stop} is called; then waits for
     * page handlers to process everything that was committed. May be called once.
     *
     * @throws PageHandlerException when a page handler failed and the crawl was stopped because of
     *     it
     * @throws InterruptedException when the thread was interrupted; the crawl can be resumed
     * @throws IOException when the report could not be written
     */
    CrawlReport run() throws InterruptedException, IOException;

    /** Starts no further requests until {@link #resume}; those in flight are completed. */
    void pause();

    /** Continues after {@link #pause}. */
    void resume();

    /** Ends the crawl: requests in flight get the {@code stop-grace} time to complete. */
    void stop();

    /** Ends the crawl: requests in flight get this much time to complete. */
    void stop(Duration grace);

    /** Returns the number of URLs by state, as of now. */
    Ledger counts();

    /** Returns the number of requests in flight. */
    int inFlight();

    /**
     * Returns what the crawl is waiting for, when that is not the web: a full disk, a page handler
     * that is behind, missing sockets.
     */
    Optional<String> waitingFor();

    /**
     * Changes the delay between two requests to a host, and stores it with the crawl. It applies to
     * the next request of every host. A delay that was given fixes it: it no longer adapts to
     * response times.
     *
     * @throws ConfigException when the value is out of range
     */
    void setDelay(Duration delay) throws ConfigException, IOException;

    /**
     * Changes the number of pages at which the crawl ends, and stores it with the crawl.
     *
     * @throws ConfigException when the value is out of range
     */
    void setMaxPages(long pages) throws ConfigException, IOException;

    /**
     * Changes the maximum number of requests in flight, and stores it with the crawl. It can be
     * lowered and raised again up to the value with which the crawl was opened.
     *
     * @throws ConfigException when the value is out of range
     */
    void setConcurrency(int requests) throws ConfigException, IOException;

    /** Returns the crawl's directory, for everything that can be read from it. */
    CrawlDirectory directory();

    /** Closes all files and releases the directory. A crawl that was not run can be run later. */
    @Override
    void close() throws IOException;
}
