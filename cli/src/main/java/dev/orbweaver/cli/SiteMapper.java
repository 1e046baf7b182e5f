package dev.orbweaver.cli;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.export.KnownUrl;
import dev.orbweaver.export.PageContents;
import dev.orbweaver.imports.SeedSources;
import dev.orbweaver.imports.SourceSpec;
import dev.orbweaver.imports.SourceType;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.parse.FeedLinks;
import dev.orbweaver.internal.scope.RuleScope;
import dev.orbweaver.internal.seeds.SeedEntry;
import dev.orbweaver.internal.seeds.SeedOutput;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.RegistrableDomain;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.PrintableText;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Collects the URLs of a site from its start page, its sitemaps, its feeds and index servers. A
 * source that fails is one warning and does not stop the others.
 */
final class SiteMapper {

    /** The source of URLs that pages of the site link to. */
    private static final String LINK = "link";

    private final CrawlConfig config;
    private final TemporaryCrawl crawl;
    private final Listener listener;
    private final RuleScope scope;
    private final KnownUrls known;
    private CrawlUrl start;

    /** Ends a source early, because the list is full. */
    private static final class FullException extends IOException {
        private static final long serialVersionUID = 1;
    }

    /** Receives what the user should know, as lines without a line break. */
    interface Listener {
        void warn(String sentence);

        void progress(String what);
    }

    SiteMapper(CrawlConfig config, TemporaryCrawl crawl, long max, Listener listener) {
        this.config = config;
        this.crawl = crawl;
        this.listener = listener;
        this.start = config.seeds().getFirst().url();
        this.scope = new RuleScope(config.scope(), List.of(start));
        this.known = new KnownUrls(config.urls(), scope, max);
    }

    Collection<KnownUrl> urls() {
        return known.all();
    }

    /**
     * Reads all sources.
     *
     * @param depth how many hops from the start page links are listed
     * @return false if it was stopped before the end
     */
    boolean read(int depth, List<SourceType> indexes) throws ConfigException, IOException {
        try {
            var specs = new ArrayList<SourceSpec>();
            var feeds = depth == 0 ? List.of(start) : crawl();
            specs.add(spec(SourceType.SITEMAP, root().text()));
            feeds.forEach(feed -> specs.add(spec(SourceType.FEED, feed.text())));
            indexes.forEach(index -> specs.add(spec(index, pattern(index))));
            crawl.onStop(Thread.currentThread()::interrupt);
            readSources(specs);
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    private static SourceSpec spec(SourceType type, String argument) {
        return new SourceSpec(type, argument, "");
    }

    private CrawlUrl root() {
        return config.urls().resolve(start, "/").orElseThrow();
    }

    /** Returns what an index server is asked for: what the scope can contain. */
    private String pattern(SourceType index) {
        var domain = RegistrableDomain.of(start.host());
        if (index == SourceType.CT) {
            return domain;
        }
        return switch (config.scope().scopeType()) {
            case PATH -> start.authority() + directory() + "*";
            case HOST -> start.authority() + "/*";
            case DOMAIN, ANY -> domain;
        };
    }

    private String directory() {
        var path = start.pathAndQuery().replaceFirst("\\?.*", "");
        return path.substring(0, path.lastIndexOf('/') + 1);
    }

    /** Crawls the pages near the start page; returns the feeds that the start page declares. */
    private List<CrawlUrl> crawl() throws ConfigException, IOException, InterruptedException {
        var end = crawl.run(config);
        switch (end.reason()) {
            case COMPLETE, MAX_PAGES, MAX_BYTES, MAX_TIME, WAITING -> {}
            case STOPPED -> throw new InterruptedException();
            case RETENTION, BROKEN, HANDLER_FAILED, INTERNAL -> throw new IOException(end.detail());
        }
        var pages = StoredCrawl.pages(List.of(crawl.directory()), Modules.SETTINGS);
        var entries = new ArrayList<PageLogEntry>();
        pages.forEachLine(
                line -> {
                    if (line.kind() == Kind.PAGE) {
                        entries.add(line.entry());
                    }
                });
        if (entries.isEmpty()) {
            listener.warn(start + " was not fetched: " + PrintableText.line(end.detail()));
            return List.of();
        }
        start = config.urls().parse(entries.getFirst().url()).orElse(start);
        var _ = scope.withSeed(start);
        var contents = new PageContents(pages.directories().getFirst());
        for (var entry : entries) {
            addLinks(entry, contents);
        }
        var feeds = feeds(entries.getFirst(), contents);
        // The crawl has just requested the host.
        Thread.sleep(config.politeness().forHost(start.host()).hostDelay());
        return feeds;
    }

    private List<CrawlUrl> feeds(PageLogEntry entry, PageContents contents) throws IOException {
        var content = contents.load(entry);
        return content.isPresent() && PageContents.isHtml(entry)
                ? FeedLinks.of(content.get().document(), config.urls())
                : List.of();
    }

    private void addLinks(PageLogEntry entry, PageContents contents) throws IOException {
        config.urls().parse(entry.url()).ifPresent(url -> known.add(url, Optional.empty(), LINK));
        var content = contents.load(entry);
        if (content.isEmpty() || !PageContents.isHtml(entry)) {
            return;
        }
        for (var link : contents.links(content.get())) {
            if (link.kind() != LinkKind.REQUISITE) {
                known.add(link.url(), Optional.empty(), LINK);
            }
        }
    }

    private void readSources(List<SourceSpec> specs)
            throws ConfigException, IOException, InterruptedException {
        var temporary = Files.createDirectories(crawl.directory().resolve("sources"));
        try (var sources = new SeedSources(config, temporary, InputStream.nullInputStream())) {
            for (var spec : specs) {
                if (known.isFull()) {
                    return;
                }
                try {
                    sources.open(spec).read(new Output(spec.type().id()));
                } catch (FullException e) {
                    return;
                } catch (ConfigException e) {
                    listener.warn(PrintableText.line(String.valueOf(e.getMessage())));
                } catch (IOException e) {
                    listener.warn(
                            "%s: %s"
                                    .formatted(
                                            spec.type().id(),
                                            PrintableText.line(ErrorReporter.message(e, ""))));
                }
            }
        }
    }

    private final class Output implements SeedOutput {

        private final String source;

        Output(String source) {
            this.source = source;
        }

        @Override
        public void add(long number, SeedEntry entry) throws IOException {
            known.add(entry, source);
            if (known.isFull()) {
                throw new FullException();
            }
        }

        @Override
        public void reject(long line, String text, String reason) {
            progress("%s: %s".formatted(text, reason));
        }

        @Override
        public void progress(String what) {
            listener.progress(source + ": " + PrintableText.line(what));
        }
    }

    /** Returns whether there are more URLs than the maximum. */
    boolean isFull() {
        return known.isFull();
    }

    /** Reports what the list does not contain. */
    void report(String maxOption) {
        if (known.isFull()) {
            listener.warn(
                    "there are more than %,d URLs; the others are not listed, use %s for more"
                            .formatted(known.all().size(), maxOption));
        }
        var sum = new StringBuilder("%,d URLs".formatted(known.all().size()));
        if (known.refused() > 0) {
            sum.append(
                    "; %,d entries are not listed, such as %s"
                            .formatted(known.refused(), known.refusal()));
        }
        if (known.invalid() > 0) {
            sum.append("; %,d entries are not URLs".formatted(known.invalid()));
        }
        listener.progress(PrintableText.line(sum.toString()));
    }
}
