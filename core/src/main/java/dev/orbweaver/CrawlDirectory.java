package dev.orbweaver;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.CrawlReports;
import dev.orbweaver.internal.engine.LoggedPages;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.explain.ExplanationText;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.model.CrawlReport;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.spi.CrawledPage;
import dev.orbweaver.spi.PageHandler;
import dev.orbweaver.spi.PageHandlerException;
import dev.orbweaver.spi.Scope;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * The directory of a crawl, running or not: its counts, pages, dead letters and explanations, and
 * the changes that can be made to it. Each worker of a fleet has a directory of its own.
 *
 * <pre>{@code
 * var directory = CrawlDirectory.open(Path.of("out"));
 * directory.forEachPage(page -> System.out.println(page.url()));
 * directory.explain("https://example.com/missing").ifPresent(System.out::println);
 * }</pre>
 *
 * <p>Safe for use by several threads. Methods that read change nothing and may be called while the
 * crawl runs, also in another process; each says what it needs otherwise.
 */
public final class CrawlDirectory {

    private final Path path;
    private final StoredCrawl crawl;
    private final UnaryOperator<Scope> rules;

    CrawlDirectory(Path path, CrawlConfig config, UnaryOperator<Scope> rules) {
        this.path = path;
        this.crawl = new StoredCrawl(path, config);
        this.rules = rules;
    }

    /**
     * Opens the directory of a crawl.
     *
     * @throws IOException when there is no crawl in it
     * @throws ConfigException when its settings cannot be read
     */
    public static CrawlDirectory open(Path path) throws IOException, ConfigException {
        if (!StoredCrawl.isCrawl(path)) {
            throw new IOException(path + " has no crawl: there is no " + DirectoryLayout.SETTINGS);
        }
        return new CrawlDirectory(
                path, StoredCrawl.open(path, Settings.CORE).config(), builtIn -> builtIn);
    }

    /** Returns the path of the directory. */
    public Path path() {
        return path;
    }

    /** Returns whether a process is crawling into the directory now. */
    public boolean isRunning() throws IOException {
        return StoredCrawl.isRunning(path);
    }

    /** Returns the number of URLs by state, as of the last commit. */
    public Ledger counts() throws IOException {
        return crawl.stats().ledger();
    }

    /** Returns the report of the last run, empty while the crawl runs and after a crash. */
    public Optional<CrawlReport> report() throws IOException {
        return CrawlReports.read(path);
    }

    /**
     * Passes all committed pages to a handler, in the order of the page log and on the calling
     * thread. Nothing is acknowledged: the next call starts from the beginning again.
     *
     * @throws PageHandlerException when the handler throws an exception
     */
    public void forEachPage(PageHandler handler) throws IOException, ConfigException {
        LoggedPages.forEach(crawl, path, handler);
    }

    /**
     * Passes all committed results to a handler as {@link #forEachPage} does: pages, redirects,
     * errors, failures and withdrawn URLs, as {@link CrawledPage#kind} says.
     *
     * @param startAfter the {@link CrawledPage#sequence sequence number} after which to start; 0
     *     passes everything
     * @throws PageHandlerException when the handler throws an exception
     */
    public void forEachResult(long startAfter, PageHandler handler)
            throws IOException, ConfigException {
        LoggedPages.forEachResult(crawl, path, startAfter, handler);
    }

    /**
     * A dead letter: a URL that failed after the last retry.
     *
     * @param url the URL as it was requested
     * @param cause why it failed
     * @param attempts the number of failed requests before the last one: 0 when the first one was
     *     not repeated, or when the URL was never requested
     * @param foundAt when the URL was found
     */
    public record FailedUrl(String url, FailureCause cause, int attempts, Instant foundAt) {

        private static FailedUrl of(DeadLetter letter) {
            return new FailedUrl(
                    letter.url().text(), letter.cause(), letter.attempts(), letter.foundAt());
        }
    }

    /**
     * Passes every dead letter, a URL that failed after the last retry, to a consumer. URLs that
     * were taken down are not passed.
     *
     * @return the number of dead letters that were left out: memory limits how many of those since
     *     the last snapshot of the frontier are read. 0 for nearly every crawl
     */
    @CanIgnoreReturnValue
    public long forEachDeadLetter(Consumer<FailedUrl> consumer) throws IOException {
        return crawl.deadLetters(letter -> consumer.accept(FailedUrl.of(letter)));
    }

    /**
     * Queues dead letters again, for the next run. The crawl must not be running.
     *
     * <pre>{@code
     * directory.retryDeadLetters(letter -> letter.cause() == FailureCause.DNS);
     * }</pre>
     *
     * @param condition selects the URLs to queue; {@code letter -> true} queues all
     * @return the number of URLs that were queued
     * @throws IOException also when the crawl is running
     */
    public long retryDeadLetters(Predicate<FailedUrl> condition) throws IOException {
        return crawl.retryDeadLetters(letter -> condition.test(FailedUrl.of(letter)));
    }

    /**
     * Explains what became of a URL: whether and where it was found, which rule decided, its state
     * and what happens next. The scope and link filters of a program are known only to {@link
     * RunningCrawl#directory}; otherwise the rules are the built-in ones.
     *
     * @return lines of text; empty when the text is not an http or https URL
     */
    public Optional<String> explain(String url) throws IOException {
        return crawl.explain(url, rules)
                .map(explanation -> String.join("\n", ExplanationText.lines(explanation)));
    }

    /**
     * Takes a URL down: no export, query, handler or sink shows it any more, and it is not
     * requested again. Its records remain in the WARC files until {@link #compact}. The crawl may
     * be running.
     *
     * @return the number of lines of the page log that are hidden by this
     * @param url with its scheme; whether the crawl knows it does not matter
     * @throws IllegalArgumentException when the text is not an http or https URL
     */
    public long takeDown(String url) throws IOException {
        var parsed = crawl.urls().parse(url);
        if (parsed.isEmpty()) {
            throw new IllegalArgumentException("not an http or https URL: " + url);
        }
        return crawl.takeDown(parsed.get());
    }

    /**
     * Takes all URLs of a host down, with the same effect as {@link #takeDown}. Subdomains are not
     * included.
     *
     * @param host a host name or an address, without a port
     * @return the number of lines of the page log that are hidden by this
     * @throws IllegalArgumentException when the text is not a host
     */
    public long takeDownHost(String host) throws IOException {
        return crawl.takeDownHost(
                crawl.parseHost(host)
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "not a host name or address without a port: "
                                                        + host)));
    }

    /**
     * What a compaction removed.
     *
     * @param captures the number of lines removed from the page log
     * @param files the number of WARC files rewritten or deleted
     * @param bytes the number of bytes freed
     */
    public record Compacted(long captures, long files, long bytes) {}

    /**
     * Removes URLs that were taken down from the WARC files and the page log. The crawl must not be
     * running. {@link CrawledPage#sequence Sequence numbers} stay the same.
     *
     * @throws IOException also when the crawl is running
     */
    public Compacted compact() throws IOException {
        var outcome = crawl.compact();
        return new Compacted(outcome.captures(), outcome.files(), outcome.bytes());
    }
}
