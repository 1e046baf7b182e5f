package dev.orbweaver.imports;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CheckedValues;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.ExclusionList;
import dev.orbweaver.internal.config.ModuleExtension;
import dev.orbweaver.internal.config.Seed;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.seeds.SeedSource;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.HostSet;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Locale;

/**
 * Opens sources for a crawl. Sources that are servers share one client, so the delays of a host
 * apply to all of them; use the sources of one instance one after the other.
 */
public final class SeedSources implements AutoCloseable {

    private final CrawlConfig config;
    private final SourceSettings settings;
    private final Path temporary;
    private final InputStream standardInput;
    private @Nullable SourceClient client;

    /**
     * @param config the crawl's settings; its table should have those of {@link #extension}
     * @param temporary an existing directory for large responses
     */
    public SeedSources(CrawlConfig config, Path temporary, InputStream standardInput) {
        this.config = config;
        this.settings = settings(config);
        this.temporary = temporary;
        this.standardInput = standardInput;
    }

    private static SourceSettings settings(CrawlConfig config) {
        var values = config.settingValues();
        if (values.table().find("index-delay").isEmpty()) {
            values = new SettingValues(values.table().with(extension())).putAll(values);
        }
        return SourceSettings.read(new CheckedValues(values));
    }

    /** Returns the settings of sources, for the table of settings. */
    public static ModuleExtension extension() {
        return new SourceSettings.Extension();
    }

    /**
     * Opens a source; nothing is read yet.
     *
     * @throws ConfigException if the argument or an option is not valid
     */
    public SeedSource open(SourceSpec spec) throws ConfigException, IOException {
        var description = spec.toString();
        var argument = spec.argument();
        return switch (spec.type()) {
            case SITEMAP -> new SitemapSource(description, url(spec), client());
            case FEED -> new FeedSource(description, url(spec), client());
            case CT ->
                    new CtSource(
                            description,
                            domain(spec),
                            settings.ct(),
                            spec.count(CtSource.HOSTS_MAX),
                            client());
            case COMMON_CRAWL ->
                    new CommonCrawlSource(
                            description,
                            query(spec),
                            settings.commonCrawl(),
                            spec.count(1),
                            client());
            case WAYBACK ->
                    new WaybackSource(description, query(spec), settings.wayback(), client());
            case WARC -> new WarcSource(description, argument);
            case WACZ -> new WaczSource(description, argument);
            case CDXJ -> new CdxjSource(description, file(spec));
            case CSV -> new CsvSource(description, file(spec), spec.option());
            case JSONL ->
                    new LineSource(
                            description,
                            file(spec),
                            new LineSource.Json(spec.option().isEmpty() ? "url" : spec.option()));
            case TXT -> new LineSource(description, file(spec), new LineSource.Text());
            case PARQUET -> new ParquetSource(description, argument, spec.option());
            case TRANCO ->
                    new LineSource(
                            description,
                            file(spec),
                            new LineSource.Ranked(spec.count(Integer.MAX_VALUE)));
        };
    }

    /** Waits until every host that a source has requested may get its next request. */
    public void awaitTurns() throws InterruptedException {
        if (client != null) {
            client.awaitTurns();
        }
    }

    private InputFile file(SourceSpec spec) {
        return new InputFile(spec.argument(), standardInput);
    }

    private CrawlUrl url(SourceSpec spec) throws ConfigException {
        return Seed.read(spec.argument(), config.urls())
                .map(Seed::url)
                .orElseThrow(
                        () ->
                                SourceSpec.invalid(
                                        spec.toString(),
                                        "expected an http or https URL, or a host"));
    }

    private String domain(SourceSpec spec) throws ConfigException {
        var name = spec.argument().toLowerCase(Locale.ROOT);
        return config.urls()
                .parse("https://" + name + "/")
                .filter(url -> url.pathAndQuery().equals("/") && url.authority().equals(url.host()))
                .map(CrawlUrl::host)
                .filter(host -> host.indexOf('.') > 0)
                .orElseThrow(
                        () ->
                                SourceSpec.invalid(
                                        spec.toString(), "expected a domain such as example.org"));
    }

    private IndexQuery query(SourceSpec spec) throws ConfigException {
        var pattern = spec.argument();
        if (pattern.chars().anyMatch(c -> c <= ' ') || pattern.indexOf('.') < 0) {
            throw SourceSpec.invalid(
                    spec.toString(),
                    "expected a domain such as example.org, or a pattern such as"
                            + " example.org/docs/*");
        }
        return new IndexQuery(config.urls(), pattern);
    }

    private SourceClient client() throws IOException {
        if (client == null) {
            var excluded = config.excludeHosts();
            client =
                    new SourceClient(
                            config,
                            settings,
                            excluded.isPresent()
                                    ? new HostSet(ExclusionList.read(excluded.get()))
                                    : HostSet.NONE,
                            temporary,
                            InstantSource.system());
        }
        return client;
    }

    @Override
    public void close() {
        if (client != null) {
            client.close();
        }
    }
}
