package dev.orbweaver;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.Problem;
import dev.orbweaver.config.WarcCompression;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.crawl.PageExtractor;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.engine.CrawlExtensions;
import dev.orbweaver.internal.engine.CrawlOpener;
import dev.orbweaver.internal.engine.DeliverySettings;
import dev.orbweaver.model.Durability;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Collects the settings and extensions of a crawl and opens it. Settings that are not set have the
 * defaults of {@code orbweaver crawl}; every other setting of the command line can be set by its
 * name with {@link #set}.
 *
 * <pre>{@code
 * CrawlerBuilder builder = Crawler.builder("https://example.com/docs/")
 *         .scope(ScopeType.PATH)
 *         .maxTime(Duration.ofHours(2))
 *         .maxBody(5_000_000)
 *         .extractor(page -> page.put("heading", page.document().select("h1").text()))
 *         .onPage(page -> System.out.println(page.url() + " " + page.fields()));
 * }</pre>
 *
 * <p>Extensions are not stored in the directory: pass them again when the crawl is resumed.
 *
 * <p>Values are checked by {@link #open}, which reports all problems at once. Not safe for use by
 * several threads.
 */
public final class CrawlerBuilder {

    private static final String DEFAULT_HANDLER = "pages";
    private static final int SINK_BATCH = 256;
    private static final int NANOS_PER_MILLI = 1_000_000;
    private static final Duration LONGEST = Duration.ofDays(36_500);
    private static final Duration TIMEOUT_MAX = Duration.ofDays(1);

    private final SettingValues values = new SettingValues();
    private final List<Handler> handlers = new ArrayList<>();
    private final List<Parser> parsers = new ArrayList<>();
    private final List<Scope> filters = new ArrayList<>();
    private final List<Extractor> extractors = new ArrayList<>();
    private final Map<String, Long> positions = new LinkedHashMap<>();
    private Optional<FrontierProvider> frontier = Optional.empty();
    private Optional<Fetcher> fetcher = Optional.empty();
    private Optional<Scope> scope = Optional.empty();
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
     * default list: images, audio, video, fonts, archives, programs, style sheets, scripts, feeds,
     * PDF, plain text and data such as JSON, CSV and XML. Office documents such as {@code docx} are
     * followed. No argument follows all.
     */
    public CrawlerBuilder skipExtensions(String... extensions) {
        return set("skip-extensions", String.join(",", extensions));
    }

    /**
     * Sets the delay between the end of a response and the next request to the same host, in whole
     * milliseconds, rounded up. Without it the delay adapts to response times, from one second up.
     */
    public CrawlerBuilder delay(Duration delay) {
        return set("delay", millis(delay));
    }

    /** Sets the maximum number of requests in flight to all hosts together. The default is 512. */
    public CrawlerBuilder concurrency(int requests) {
        return set("concurrency", Integer.toString(requests));
    }

    /** Sets the maximum number of requests in flight to one host. The default is 1. */
    public CrawlerBuilder concurrencyPerHost(int requests) {
        return set("concurrency-per-host", Integer.toString(requests));
    }

    /** Sets the time limit of a whole request. The default is one minute. */
    public CrawlerBuilder timeout(Duration timeout) {
        return set("timeout", millis(timeout));
    }

    /** Sets how often a failed request is repeated. */
    public CrawlerBuilder maxRetries(int retries) {
        return set("max-retries", Integer.toString(retries));
    }

    /** Sets the size at which a body is cut and marked as truncated. The default is 20 MB. */
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
     *
     * <pre>{@code
     * builder.contact("https://example.org/crawler")
     * }</pre>
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

    /**
     * Sets whether crawler traps are detected, such as endless calendars. The default is true: URLs
     * of a pattern whose pages repeat each other become dead letters with the cause {@link
     * dev.orbweaver.model.FailureCause#TRAP}, {@link dev.orbweaver.model.CrawlEnd#detail} counts
     * them, and a warning is logged for each pattern. Turn it off for sites whose pages differ in a
     * few words only, such as generated product pages.
     */
    public CrawlerBuilder traps(boolean detect) {
        return set("traps", detect ? "on" : "off");
    }

    /** Sets how WARC records are compressed. The default is {@link WarcCompression#GZIP}. */
    public CrawlerBuilder warcCompression(WarcCompression compression) {
        return set("warc-compression", compression.name().toLowerCase(Locale.ROOT));
    }

    /**
     * Sets what committed pages and the positions of handlers survive. The default is {@link
     * Durability#PROCESS}. With {@link Durability#POWER} every page that a handler acknowledges
     * costs a write to the disk.
     */
    public CrawlerBuilder durability(Durability durability) {
        return set("durability", durability.name().toLowerCase(Locale.ROOT));
    }

    /**
     * Sets a file of cookies to send, in the Netscape format that browsers and curl export. A
     * cookie is sent only to its own host, and is not stored.
     */
    public CrawlerBuilder cookiesFile(Path file) {
        return set("cookies-file", file.toString());
    }

    /**
     * Sets any setting by its name on the command line, without the leading hyphens: {@code
     * set("max-redirects", "5")}. {@code orbweaver crawl --help} lists all names; {@link #open}
     * reports an unknown one with the nearest name.
     */
    public CrawlerBuilder set(String name, String value) {
        return set(name, List.of(given(value, name)));
    }

    /** Sets a setting that takes several values, such as {@code header}. */
    public CrawlerBuilder set(String name, List<String> settings) {
        var _ = values.put(given(name, "name"), given(settings, name));
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
        return add(name, handler, true);
    }

    /**
     * Adds a handler of all results: pages, redirects, client errors, failures after the last retry
     * and withdrawn URLs, as {@link CrawledPage#kind} says.
     */
    public CrawlerBuilder onResult(String name, PageHandler handler) {
        return add(name, handler, false);
    }

    private CrawlerBuilder add(String name, PageHandler handler, boolean pagesOnly) {
        var sink = new HandlerSink(given(name, "handler name"), given(handler, "handler"));
        handlers.add(new Handler(sink, pagesOnly, 1));
        return this;
    }

    /** Adds a sink, which gets all results in batches. */
    public CrawlerBuilder sink(Sink sink) {
        handlers.add(new Handler(given(sink, "sink"), false, SINK_BATCH));
        return this;
    }

    /**
     * Sets the position of the handler that was added without a name; see {@link
     * #startAfter(String, long)}.
     */
    public CrawlerBuilder startAfter(long sequence) {
        return startAfter(DEFAULT_HANDLER, sequence);
    }

    /**
     * Delivers to a handler or sink what follows this {@link CrawledPage#sequence sequence number},
     * instead of what follows the position that is stored in the crawl's directory. For handlers
     * that store the number of the last page in their own transaction. Other handlers are not
     * affected: each one has its own position.
     *
     * <pre>{@code
     * Crawler.builder("https://example.com/")
     *         .onPage("index", index::add).startAfter("index", index.position())
     *         .onPage("table", table::insert).startAfter("table", table.position())
     * }</pre>
     *
     * @param handler the name of the handler or sink
     * @param sequence the number of the last page that it has processed; 0 delivers everything. A
     *     number beyond the last line of the page log makes {@link #open} throw an exception
     */
    public CrawlerBuilder startAfter(String handler, long sequence) {
        positions.put(given(handler, "handler name"), sequence);
        return this;
    }

    /**
     * Sets whether an exception of a handler stops the crawl, which is the default. With false the
     * exception is logged and the page counts as handled. An exception of a {@link Sink} stops the
     * crawl in any case, because its batch has results that have nothing to do with the failure.
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

    /**
     * Adds an extractor, which stores fields with every page. Extractors run in the order added.
     */
    public CrawlerBuilder extractor(Extractor extractor) {
        extractors.add(given(extractor, "extractor"));
        return this;
    }

    /** Sets the time limit of all extractors together on one page. The default is 10 seconds. */
    public CrawlerBuilder extractorTimeout(Duration timeout) {
        extractorTimeout = given(timeout, "extractorTimeout");
        return this;
    }

    /** Adds a parser. Parsers are tried in the order added, before the built-in ones. */
    public CrawlerBuilder parser(Parser parser) {
        parsers.add(given(parser, "parser"));
        return this;
    }

    /**
     * Adds a filter of links: a URL is accepted when the scope and all filters accept it. Filters
     * are not called for seeds. A filter that throws an exception or returns null refuses the link.
     */
    public CrawlerBuilder linkFilter(Scope filter) {
        filters.add(given(filter, "filter"));
        return this;
    }

    /**
     * Replaces the built-in scope, and with it {@link #include}, {@link #exclude}, {@link
     * #maxDepth} and {@link #skipExtensions}. To refuse some more links, use {@link #linkFilter}.
     */
    public CrawlerBuilder scope(Scope custom) {
        scope = Optional.of(given(custom, "scope"));
        return this;
    }

    /** Replaces the HTTP client. The crawl closes it. */
    public CrawlerBuilder fetcher(Fetcher custom) {
        fetcher = Optional.of(given(custom, "fetcher"));
        return this;
    }

    /** Replaces the frontier on disk, for example by {@link FrontierProvider#inMemory}. */
    public CrawlerBuilder frontier(FrontierProvider custom) {
        frontier = Optional.of(given(custom, "frontier"));
        return this;
    }

    /**
     * Opens the crawl: a new one, or the one that the directory holds, which is resumed with the
     * settings of this builder. Seeds cannot be added to a crawl that exists.
     *
     * <p>Fetcher and sinks belong to the crawl once this method returns; it closes them. When the
     * method throws an exception, some of them may be closed.
     *
     * @throws ConfigException when settings are wrong, with all problems
     * @throws IOException when the directory cannot be used: a crawl is running in it, it holds a
     *     crawl of other seeds, it is not writable, or {@link #startAfter} is beyond its page log
     */
    public RunningCrawl open(Path directory) throws ConfigException, IOException {
        var config = config();
        var extensions =
                new CrawlExtensions(
                        frontier.map(FrontierProvider::factory),
                        fetcher,
                        parsers,
                        scope,
                        filters,
                        extractors.isEmpty()
                                ? PageExtractor.NONE
                                : new PageExtractor(extractors, extractorTimeout),
                        handlers.stream().map(this::delivery).toList());
        return new LibraryCrawl(
                CrawlOpener.open(
                        config,
                        given(directory, "directory"),
                        CrawlListener.NONE,
                        extensions,
                        new RealDisk(),
                        InstantSource.system()),
                rules -> extensions.scopeOver(() -> rules));
    }

    private DeliverySettings delivery(Handler handler) {
        return new DeliverySettings(
                handler.sink,
                handler.pagesOnly,
                handler.batchSize,
                Optional.ofNullable(positions.get(handler.sink.name())),
                maxHandlerLag,
                stopOnHandlerFailure);
    }

    /** Checks settings, limits and names, and reports all problems together. */
    private CrawlConfig config() throws ConfigException {
        var problems = problems();
        try {
            var config = CrawlConfig.read(values);
            if (problems.isEmpty()) {
                return config;
            }
        } catch (ConfigException e) {
            problems.addAll(e.problems());
        }
        throw new ConfigException(problems);
    }

    private List<Problem> problems() {
        var problems = new ArrayList<Problem>();
        if (maxHandlerLag < 1) {
            problems.add(
                    problem(
                            "maxHandlerLag",
                            "maxHandlerLag must be positive, not %d",
                            maxHandlerLag));
        }
        if (extractorTimeout.compareTo(Duration.ofMillis(1)) < 0
                || extractorTimeout.compareTo(TIMEOUT_MAX) > 0) {
            problems.add(
                    problem(
                            "extractorTimeout",
                            "extractorTimeout must be between 1 ms and %d days, not %s",
                            TIMEOUT_MAX.toDays(),
                            extractorTimeout));
        }
        var names = new TreeSet<String>();
        for (var handler : handlers) {
            var name = handler.sink.name();
            if (!name.matches("[a-z0-9-]{1,40}")) {
                problems.add(
                        problem(
                                name,
                                "handler name '%s' must have 1 to 40 lower-case letters, digits and"
                                        + " hyphens",
                                name));
            }
            if (!names.add(name)) {
                problems.add(
                        problem(name, "two handlers have the name '%s'; name them apart", name));
            }
        }
        positions.forEach(
                (name, sequence) -> {
                    if (!names.contains(name)) {
                        problems.add(
                                problem(
                                        "startAfter",
                                        "startAfter: there is no handler '%s'; the handlers are %s",
                                        name,
                                        names));
                    } else if (sequence < 0) {
                        problems.add(
                                problem(
                                        "startAfter",
                                        "startAfter of handler '%s' must not be negative: %d",
                                        name,
                                        sequence));
                    }
                });
        return problems;
    }

    @FormatMethod
    private static Problem problem(String key, @FormatString String format, Object... values) {
        return new Problem(key, format.formatted(values));
    }

    private static <T> T given(T value, String name) {
        return Objects.requireNonNull(value, () -> name + " must not be null");
    }

    /**
     * Returns a duration as a setting has it, rounded away from 0; one that is too long becomes the
     * longest.
     */
    static String millis(Duration time) {
        if (time.isNegative()) {
            return "-1ms"; // Out of range for every setting.
        }
        var limited = time.compareTo(LONGEST) > 0 ? LONGEST : time;
        return limited.plusNanos(NANOS_PER_MILLI - 1).toMillis() + "ms";
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
