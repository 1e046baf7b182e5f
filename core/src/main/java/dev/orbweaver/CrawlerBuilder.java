package dev.orbweaver;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.SettingValues;
import dev.orbweaver.config.Settings;
import dev.orbweaver.config.WarcCompression;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.crawl.PageExtractor;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.engine.CrawlExtensions;
import dev.orbweaver.internal.engine.CrawlOpener;
import dev.orbweaver.internal.engine.DeliverySettings;
import dev.orbweaver.model.ScopeType;
import dev.orbweaver.spi.CrawledPage;
import dev.orbweaver.spi.Extractor;
import dev.orbweaver.spi.Fetcher;
import dev.orbweaver.spi.PageHandler;
import dev.orbweaver.spi.Parser;
import dev.orbweaver.spi.Scope;
import dev.orbweaver.spi.Sink;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Collects the settings and extensions of a crawl and opens it. Settings that are not set have the
 * defaults of {@code orbweaver crawl}; every other setting of the command line can be set by its
 * name with {@link #set}.
 *
 * <p>Values are checked by {@link #open}, which reports all problems at once. Not safe for use by
 * several threads.
 */
public final class CrawlerBuilder {

    private static final String DEFAULT_HANDLER = "pages";
    private static final int SINK_BATCH = 256;

    private final SettingValues values = new SettingValues();
    private final List<Handler> handlers = new ArrayList<>();
    private final List<Parser> parsers = new ArrayList<>();
    private final List<Scope> filters = new ArrayList<>();
    private final List<Extractor> extractors = new ArrayList<>();
    private Optional<FrontierProvider> frontier = Optional.empty();
    private Optional<Fetcher> fetcher = Optional.empty();
    private Optional<Scope> scope = Optional.empty();
    private Optional<Long> startAfter = Optional.empty();
    private Duration extractorTimeout = Duration.ofSeconds(10);
    private long maxHandlerLag = 1_000;
    private boolean stopOnHandlerFailure = true;

    private record Handler(Sink sink, boolean pagesOnly, int batchSize) {}

    CrawlerBuilder(List<String> seeds) {
        var _ = values.put(Settings.SEEDS, seeds);
    }

    /** Ends the crawl after this many pages. Requests in flight may exceed it by a few. */
    public CrawlerBuilder maxPages(long pages) {
        return set("max-pages", Long.toString(pages));
    }

    /** Ends this run after this time. The crawl can be resumed. */
    public CrawlerBuilder maxTime(Duration time) {
        return set("max-time", millis(time));
    }

    /** Ends the crawl after this many bytes of response bodies. */
    public CrawlerBuilder maxBytes(long bytes) {
        return set("max-bytes", Long.toString(bytes));
    }

    /** Sets the maximum link depth from a seed; 0 fetches the seeds only. */
    public CrawlerBuilder maxDepth(int depth) {
        return set("max-depth", Integer.toString(depth));
    }

    /** Sets how far from the seeds to go. The default is {@link ScopeType#HOST}. */
    public CrawlerBuilder scope(ScopeType type) {
        return set("scope", type.name().toLowerCase(Locale.ROOT));
    }

    /** Accepts only URLs in which one of these RE2 patterns is found. */
    public CrawlerBuilder include(String... patterns) {
        return set("include", List.of(patterns));
    }

    /** Refuses URLs in which one of these RE2 patterns is found. */
    public CrawlerBuilder exclude(String... patterns) {
        return set("exclude", List.of(patterns));
    }

    /**
     * Sets the file extensions of links that are not followed, such as {@code pdf}, instead of the
     * default list (images, archives, office documents and their like). No argument follows all.
     */
    public CrawlerBuilder skipExtensions(String... extensions) {
        return set("skip-extensions", String.join(",", extensions));
    }

    /**
     * Sets the delay between the end of a response and the next request to the same host. Without
     * it the delay adapts to response times, from one second up.
     */
    public CrawlerBuilder delay(Duration delay) {
        return set("delay", millis(delay));
    }

    /** Sets the maximum number of requests in flight. */
    public CrawlerBuilder concurrency(int requests) {
        return set("concurrency", Integer.toString(requests));
    }

    /** Sets the maximum number of requests in flight to one host. The default is 1. */
    public CrawlerBuilder concurrencyPerHost(int requests) {
        return set("concurrency-per-host", Integer.toString(requests));
    }

    /** Sets the time limit of a whole request. */
    public CrawlerBuilder timeout(Duration timeout) {
        return set("timeout", millis(timeout));
    }

    /** Sets how often a failed request is repeated. */
    public CrawlerBuilder maxRetries(int retries) {
        return set("max-retries", Integer.toString(retries));
    }

    /** Sets the size at which a body is cut and marked as truncated. */
    public CrawlerBuilder maxBody(long bytes) {
        return set("max-body", Long.toString(bytes));
    }

    /**
     * Sets the {@code User-Agent} header field. Name a way to contact you in it, or use {@link
     * #contact}.
     */
    public CrawlerBuilder userAgent(String text) {
        return set("user-agent", text);
    }

    /**
     * Sets a URL or mail address that is added to the {@code User-Agent}, so that site owners can
     * reach you.
     */
    public CrawlerBuilder contact(String text) {
        return set("contact", text);
    }

    /** Sets whether robots.txt is obeyed. The default is true. */
    public CrawlerBuilder obeyRobots(boolean obey) {
        return set("robots", obey ? "obey" : "ignore");
    }

    /** Sets whether sitemaps that robots.txt names are read. The default is true. */
    public CrawlerBuilder sitemaps(boolean read) {
        return set("sitemaps", Boolean.toString(read));
    }

    /**
     * Sets whether images, style sheets, scripts and other files that pages need are fetched too.
     * The default is false.
     */
    public CrawlerBuilder pageRequisites(boolean fetch) {
        return set("page-requisites", Boolean.toString(fetch));
    }

    /**
     * Sets whether links and names may lead to private and loopback addresses. The default is
     * false; seeds that are such addresses themselves are always allowed.
     */
    public CrawlerBuilder allowPrivate(boolean allow) {
        return set("allow-private", Boolean.toString(allow));
    }

    /** Sets how WARC records are compressed. The default is {@link WarcCompression#GZIP}. */
    public CrawlerBuilder warcCompression(WarcCompression compression) {
        return set("warc-compression", compression.name().toLowerCase(Locale.ROOT));
    }

    /**
     * Sets any setting by its name on the command line, without the leading hyphens: {@code
     * set("max-redirects", "5")}.
     */
    public CrawlerBuilder set(String name, String value) {
        return set(name, List.of(value));
    }

    /** Sets a setting that takes several values, such as {@code header}. */
    public CrawlerBuilder set(String name, List<String> settings) {
        var _ = values.put(name, settings);
        return this;
    }

    /**
     * Adds a handler of committed pages under the name {@code pages}. See {@link PageHandler} for
     * order and acknowledgement.
     */
    public CrawlerBuilder onPage(PageHandler handler) {
        return onPage(DEFAULT_HANDLER, handler);
    }

    /**
     * Adds a handler of committed pages.
     *
     * @param name identifies the handler's position in the crawl's directory: 1 to 40 lower-case
     *     letters, digits and hyphens
     */
    public CrawlerBuilder onPage(String name, PageHandler handler) {
        handlers.add(new Handler(new HandlerSink(name, handler), true, 1));
        return this;
    }

    /**
     * Adds a handler of all results: pages, redirects, client errors, failures after the last retry
     * and withdrawn URLs, as {@link CrawledPage#kind} says.
     */
    public CrawlerBuilder onResult(String name, PageHandler handler) {
        handlers.add(new Handler(new HandlerSink(name, handler), false, 1));
        return this;
    }

    /** Adds a sink, which gets all results in batches. */
    public CrawlerBuilder sink(Sink sink) {
        handlers.add(new Handler(sink, false, SINK_BATCH));
        return this;
    }

    /**
     * Delivers to all handlers and sinks the results after this {@link CrawledPage#sequence
     * sequence number}, instead of those after the position that is stored in the crawl's
     * directory. For handlers that store the number of the last page in their own transaction; 0
     * delivers everything.
     */
    public CrawlerBuilder startAfter(long sequence) {
        startAfter = Optional.of(sequence);
        return this;
    }

    /**
     * Sets whether an exception of a handler stops the crawl, which is the default. With false the
     * exception is logged and the page counts as handled.
     */
    public CrawlerBuilder stopOnHandlerFailure(boolean stop) {
        stopOnHandlerFailure = stop;
        return this;
    }

    /**
     * Sets how many lines of the page log a handler may be behind before the crawl waits for it.
     * The default is 1,000. While it waits, {@link RunningCrawl#waitingFor} names the handler.
     */
    public CrawlerBuilder maxHandlerLag(long lines) {
        maxHandlerLag = lines;
        return this;
    }

    /** Adds an extractor, which stores fields with every page. They run in the order of adding. */
    public CrawlerBuilder extractor(Extractor extractor) {
        extractors.add(extractor);
        return this;
    }

    /** Sets the time limit of all extractors together on one page. The default is 10 seconds. */
    public CrawlerBuilder extractorTimeout(Duration timeout) {
        extractorTimeout = timeout;
        return this;
    }

    /** Adds a parser, which is tried before the built-in ones. */
    public CrawlerBuilder parser(Parser parser) {
        parsers.add(parser);
        return this;
    }

    /**
     * Adds a filter of links: a URL is accepted when the scope and all filters accept it. Filters
     * are not applied to seeds.
     */
    public CrawlerBuilder linkFilter(Scope filter) {
        filters.add(filter);
        return this;
    }

    /**
     * Replaces the built-in scope, and with it {@link #include}, {@link #exclude}, {@link
     * #maxDepth} and {@link #skipExtensions}. To refuse some more links, use {@link #linkFilter}.
     */
    public CrawlerBuilder scope(Scope custom) {
        scope = Optional.of(custom);
        return this;
    }

    /** Replaces the HTTP client. The crawl closes it. */
    public CrawlerBuilder fetcher(Fetcher custom) {
        fetcher = Optional.of(custom);
        return this;
    }

    /** Replaces the frontier on disk, for example by {@link FrontierProvider#inMemory}. */
    public CrawlerBuilder frontier(FrontierProvider custom) {
        frontier = Optional.of(custom);
        return this;
    }

    /**
     * Opens the crawl: a new one, or the one that the directory holds, which is resumed.
     *
     * @throws ConfigException when settings are wrong, with all problems
     * @throws IOException when the directory cannot be used: another process crawls into it, it
     *     holds a crawl of other seeds, or it is not writable
     */
    public RunningCrawl open(Path directory) throws ConfigException, IOException {
        checkNames();
        return new LibraryCrawl(
                CrawlOpener.open(
                        CrawlConfig.read(values),
                        directory,
                        CrawlListener.NONE,
                        new CrawlExtensions(
                                frontier.map(FrontierProvider::factory),
                                fetcher,
                                parsers,
                                scope,
                                filters,
                                extractors.isEmpty()
                                        ? PageExtractor.NONE
                                        : new PageExtractor(extractors, extractorTimeout),
                                handlers.stream().map(this::delivery).toList()),
                        new RealDisk(),
                        InstantSource.system()));
    }

    private DeliverySettings delivery(Handler handler) {
        return new DeliverySettings(
                handler.sink,
                handler.pagesOnly,
                handler.batchSize,
                startAfter,
                maxHandlerLag,
                stopOnHandlerFailure);
    }

    private void checkNames() throws ConfigException {
        if (maxHandlerLag < 1 || extractorTimeout.toMillis() < 1 || startAfter.orElse(0L) < 0) {
            throw new ConfigException(
                    "",
                    "maxHandlerLag and extractorTimeout must be positive, startAfter not negative");
        }
        var names = new HashSet<String>();
        for (var handler : handlers) {
            var name = handler.sink.name();
            if (!name.matches("[a-z0-9-]{1,40}")) {
                throw new ConfigException(
                        "",
                        "handler name '%s' must have 1 to 40 lower-case letters, digits and hyphens"
                                .formatted(name));
            }
            if (!names.add(name)) {
                throw new ConfigException(
                        "", "two handlers have the name '%s'; name them apart".formatted(name));
            }
        }
    }

    private static String millis(Duration time) {
        return time.toMillis() + "ms";
    }

    /** A handler of single pages as a sink. */
    private record HandlerSink(String name, PageHandler handler) implements Sink {
        @Override
        public void store(List<CrawledPage> batch) throws Exception {
            for (var page : batch) {
                handler.handle(page);
            }
        }
    }
}
