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
 * <pre>{@code
 * try (var crawl = Crawler.builder("https://example.com/").open(Path.of("out"))) {
 *     Thread.startVirtualThread(() -> {
 *         System.out.println(crawl.counts().pages() + " pages");
 *         crawl.waitingFor().ifPresent(System.out::println);
 *     });
 *     CrawlReport report = crawl.run();
 * }
 * }</pre>
 *
 * <p>All methods except {@link #run}, {@link #stopAndWait} and {@link #close} may be called from
 * any thread, and from page handlers.
 *
 * <p>Settings that are changed here are stored in the directory, where {@code orbweaver resume} and
 * other commands find them. A program that opens the crawl again runs it with the settings of its
 * own builder instead.
 */
public interface RunningCrawl extends AutoCloseable {

    /**
     * Crawls until nothing is left or a limit is reached, then waits until page handlers have
     * processed everything that was committed. After {@link #stop} both have only the grace period:
     * pages that handlers have not processed then are delivered when the crawl is opened the next
     * time. May be called once; to resume the crawl, close it and open it again.
     *
     * @throws PageHandlerException when a page handler failed and the crawl was stopped because of
     *     it
     * @throws InterruptedException when the thread was interrupted; the crawl can be resumed
     * @throws IOException when the report could not be written
     * @throws IllegalStateException when it was called before, or the crawl is closed
     */
    CrawlReport run() throws InterruptedException, IOException;

    /** Starts no further requests until {@link #resume}; those in flight are completed. */
    void pause();

    /** Continues after {@link #pause}. */
    void resume();

    /**
     * Ends the crawl: requests in flight and page handlers get the {@code stop-grace} time to
     * complete. Returns at once; {@link #run} returns when the crawl has ended. The crawl can be
     * resumed by opening it again.
     */
    void stop();

    /** Ends the crawl: requests in flight and page handlers get this much time to complete. */
    void stop(Duration grace);

    /**
     * Ends the crawl as {@link #stop} does, and waits until {@link #run}, called by another thread,
     * has returned: everything is stored then, and the report is written. Returns at once when the
     * crawl does not run. For shutdown hooks; do not call it from a page handler, which {@code run}
     * waits for.
     *
     * <pre>{@code
     * Runtime.getRuntime().addShutdownHook(new Thread(() -> {
     *     try {
     *         crawl.stopAndWait();
     *     } catch (InterruptedException e) {
     *         Thread.currentThread().interrupt();
     *     }
     * }));
     * }</pre>
     */
    void stopAndWait() throws InterruptedException;

    /** Returns the number of URLs by state, as of now. */
    Ledger counts();

    /** Returns the number of requests in flight. */
    int inFlight();

    /**
     * Returns what the crawl is waiting for, when that is not the web: a full disk, a page handler
     * that is behind, missing sockets. A sentence such as {@code page handler 'index' is 1,024
     * lines of the page log behind}.
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
     * Changes the size of all response bodies at which the crawl ends, and stores it with the
     * crawl.
     *
     * @throws ConfigException when the value is out of range
     */
    void setMaxBytes(long bytes) throws ConfigException, IOException;

    /**
     * Changes the time after which this run ends, measured from its start, and stores it with the
     * crawl.
     *
     * @throws ConfigException when the value is out of range
     */
    void setMaxTime(Duration time) throws ConfigException, IOException;

    /**
     * Changes the maximum number of requests in flight, and stores it with the crawl. It can be
     * lowered and raised again up to the value with which the crawl was opened.
     *
     * @throws ConfigException when the value is out of range, or above the one with which the crawl
     *     was opened
     */
    void setConcurrency(int requests) throws ConfigException, IOException;

    /** Returns the crawl's directory, for everything that can be read from it. */
    CrawlDirectory directory();

    /**
     * Closes all files and releases the directory. Waits up to 10 seconds for a page handler that
     * has not returned, then interrupts it; its page is delivered again when the crawl is opened
     * the next time. A second call has no effect.
     *
     * @throws IllegalStateException while {@link #run} has not returned; call {@link #stop} first
     */
    @Override
    void close() throws IOException;
}
