package dev.orbweaver.cli;

import static java.util.Map.entry;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.export.ContentKind;
import dev.orbweaver.export.ExportFormat;
import dev.orbweaver.export.ExportSettings;
import dev.orbweaver.export.ExportSettings.Content;
import dev.orbweaver.export.ExportSettings.LastModified;
import dev.orbweaver.export.ExportSettings.Sitemap;
import dev.orbweaver.export.ExportSettings.Text;
import dev.orbweaver.export.ExportTarget;
import dev.orbweaver.internal.archive.PageFilter;
import dev.orbweaver.internal.config.Quantities;

import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The options that select and format the content of an export. */
final class ExportOptions {

    private static final String HOST = "--host";
    private static final String PATH = "--path";
    private static final String MEDIA_TYPE = "--media-type";
    private static final String LANGUAGE = "--language";
    private static final String QUALITY = "--min-quality";
    private static final String NEAR = "--keep-near-duplicates";
    private static final String IMAGES = "--images";
    private static final String TITLE = "--title";
    private static final String CHUNK = "--chunk-tokens";
    private static final String ALL = "--all";
    private static final String CONTENT = "--content";
    private static final String MAX_CONTENT = "--max-content";
    private static final String GZIP = "--gzip";
    private static final String LASTMOD = "--lastmod";
    private static final String INDEXABLE = "--indexable";
    private static final String BASE_URL = "--base-url";

    private static final int CHUNK_MIN = 16;
    private static final int CHUNK_MAX = 100_000;

    private static final int CONTENT_MIN = 1 << 10;

    private static final Set<ExportFormat> TEXT_FORMATS =
            EnumSet.of(ExportFormat.MARKDOWN, ExportFormat.LLMS_TXT, ExportFormat.CHUNKS);
    private static final Set<ExportFormat> LINE_FORMATS =
            EnumSet.of(ExportFormat.JSONL, ExportFormat.CSV, ExportFormat.PARQUET);
    private static final Set<ExportFormat> CAPTURE_FORMATS =
            EnumSet.of(
                    ExportFormat.JSONL,
                    ExportFormat.CSV,
                    ExportFormat.PARQUET,
                    ExportFormat.FILES,
                    ExportFormat.WARC,
                    ExportFormat.WACZ,
                    ExportFormat.CDXJ);
    private static final Set<ExportFormat> SITEMAP_FORMATS = EnumSet.of(ExportFormat.SITEMAP);

    /** The formats to which an option applies; options that are not listed apply to all. */
    private static final Map<String, Set<ExportFormat>> APPLICABLE_FORMATS =
            Map.ofEntries(
                    entry(MEDIA_TYPE, CAPTURE_FORMATS),
                    entry(LANGUAGE, TEXT_FORMATS),
                    entry(QUALITY, TEXT_FORMATS),
                    entry(NEAR, TEXT_FORMATS),
                    entry(IMAGES, TEXT_FORMATS),
                    entry(
                            TITLE,
                            EnumSet.of(
                                    ExportFormat.MARKDOWN,
                                    ExportFormat.LLMS_TXT,
                                    ExportFormat.WACZ)),
                    entry(CHUNK, EnumSet.of(ExportFormat.CHUNKS)),
                    entry(ALL, LINE_FORMATS),
                    entry(CONTENT, LINE_FORMATS),
                    entry(MAX_CONTENT, LINE_FORMATS),
                    entry(GZIP, SITEMAP_FORMATS),
                    entry(LASTMOD, SITEMAP_FORMATS),
                    entry(BASE_URL, SITEMAP_FORMATS));

    private ExportOptions() {}

    static List<OptionSpec> filters() {
        return List.of(
                Options.list(HOST, "HOST", "only pages of this host; repeatable"),
                Options.list(
                        PATH,
                        "PREFIX",
                        "only pages whose path, without the query, starts with PREFIX, such as"
                                + " /docs/; repeatable"));
    }

    static OptionSpec mediaType() {
        return Options.list(
                MEDIA_TYPE,
                "TYPE",
                "only responses of this media type, such as application/pdf or image/*, for files,"
                        + " warc, wacz, cdxj, jsonl, csv and parquet; repeatable");
    }

    static List<OptionSpec> text() {
        return List.of(
                Options.list(
                        LANGUAGE,
                        "LANG",
                        "only pages that declare this language; en includes en-GB; repeatable"),
                Options.text(
                        QUALITY,
                        "N",
                        "skip pages with little running text: a quality below N, of 0 to 100; 0"
                                + " keeps all (default: 1, which skips empty pages)"),
                Options.toggle(NEAR, "keep pages that are nearly identical to an earlier page"),
                Options.toggle(IMAGES, "keep images, as links"),
                Options.text(
                        TITLE,
                        "TEXT",
                        "title of the output, also for wacz (default: that of the first page)"));
    }

    static OptionSpec chunks() {
        return Options.text(CHUNK, "N", "approximate maximum size in tokens (default: 512)");
    }

    static List<OptionSpec> lines() {
        return List.of(
                Options.toggle(ALL, "every processed URL, not only pages"),
                Options.text(
                        CONTENT,
                        "text|markdown|html",
                        "add the columns content and content_truncated: the main text, the main"
                                + " content as Markdown, or the whole document of each HTML page"),
                Options.text(
                        MAX_CONTENT, "SIZE", "cut the content of a page at SIZE (default: 1MB)"));
    }

    static List<OptionSpec> sitemap() {
        return List.of(
                Options.toggle(GZIP, "compress the files with gzip"),
                Options.text(
                        LASTMOD,
                        "header|fetched|none",
                        "source of lastmod: the Last-Modified header, the time of the fetch, or"
                                + " none (default: header)"),
                Options.toggle(
                        INDEXABLE, "skip pages with noindex or with another page as canonical URL"),
                Options.text(
                        BASE_URL,
                        "URL",
                        "URL from which the files will be served (default: the host's root)"));
    }

    static ExportSettings settings(
            ParseResult arguments, ExportFormat exportFormat, ExportTarget exportTarget) {
        requireApplicable(arguments, exportFormat);
        var settings =
                ExportSettings.of(exportFormat, exportTarget)
                        .with(filter(arguments))
                        .with(text(arguments))
                        .with(sitemap(arguments));
        if (arguments.hasMatchedOption(CONTENT)) {
            settings = settings.with(content(arguments));
        } else if (arguments.hasMatchedOption(MAX_CONTENT)) {
            throw new UsageException("--max-content needs --content");
        }
        return arguments.hasMatchedOption(ALL) ? settings.withAllLines() : settings;
    }

    private static void requireApplicable(ParseResult arguments, ExportFormat exportFormat) {
        for (var option : APPLICABLE_FORMATS.entrySet()) {
            if (arguments.hasMatchedOption(option.getKey())
                    && !option.getValue().contains(exportFormat)) {
                throw new UsageException(
                        "%s does not apply to format %s, only to %s"
                                .formatted(
                                        option.getKey(),
                                        exportFormat.id(),
                                        option.getValue().stream()
                                                .map(ExportFormat::id)
                                                .collect(Collectors.joining(", "))));
            }
        }
    }

    static PageFilter filter(ParseResult arguments) {
        var paths = arguments.matchedOptionValue(PATH, List.<String>of());
        for (var path : paths) {
            if (!path.startsWith("/")) {
                throw new UsageException(
                        "--path: expected a prefix such as /docs/, not '" + path + "'");
            }
        }
        var hosts =
                arguments.matchedOptionValue(HOST, List.<String>of()).stream()
                        .map(host -> host.toLowerCase(Locale.ROOT))
                        .toList();
        return new PageFilter(hosts, paths, mediaTypes(arguments));
    }

    private static List<String> mediaTypes(ParseResult arguments) {
        return arguments.matchedOptionValue(MEDIA_TYPE, List.<String>of()).stream()
                .map(
                        type ->
                                PageFilter.mediaType(type)
                                        .orElseThrow(
                                                () ->
                                                        new UsageException(
                                                                "--media-type: expected a type such as application/pdf or image/*, not '%s'"
                                                                        .formatted(type))))
                .toList();
    }

    private static Content content(ParseResult arguments) {
        var id = arguments.matchedOptionValue(CONTENT, "");
        var kind =
                ContentKind.byId(id)
                        .orElseThrow(
                                () ->
                                        new UsageException(
                                                "--content: expected %s, not '%s'"
                                                        .formatted(ContentKind.IDS, id)));
        var size = arguments.matchedOptionValue(MAX_CONTENT, "");
        var bytes =
                size.isEmpty()
                        ? Optional.of((long) Content.BYTES_MAX_DEFAULT)
                        : Quantities.size(size)
                                .filter(
                                        each ->
                                                each >= CONTENT_MIN
                                                        && each <= Content.BYTES_MAX_LIMIT);
        return new Content(
                kind,
                Math.toIntExact(
                        bytes.orElseThrow(
                                () ->
                                        new UsageException(
                                                "--max-content: expected a size from 1KB to 16MB,"
                                                        + " not '"
                                                        + size
                                                        + "'"))));
    }

    static Text text(ParseResult arguments) {
        return new Text(
                arguments.matchedOptionValue(LANGUAGE, List.<String>of()),
                number(arguments, QUALITY, Text.DEFAULT.qualityMin(), 0, 100),
                arguments.hasMatchedOption(NEAR),
                arguments.hasMatchedOption(IMAGES),
                number(arguments, CHUNK, Text.DEFAULT.chunkTokens(), CHUNK_MIN, CHUNK_MAX),
                arguments.matchedOptionValue(TITLE, ""));
    }

    private static Sitemap sitemap(ParseResult arguments) {
        var base = arguments.matchedOptionValue(BASE_URL, "");
        if (!base.isEmpty() && !base.matches("https?://[^/?#]+(/[^?#]*)?")) {
            throw new UsageException(
                    "--base-url: expected an http or https URL, not '" + base + "'");
        }
        return new Sitemap(
                arguments.hasMatchedOption(GZIP),
                lastModified(arguments.matchedOptionValue(LASTMOD, "header")),
                arguments.hasMatchedOption(INDEXABLE),
                base,
                Sitemap.DEFAULT.urlsMax(),
                Sitemap.DEFAULT.bytesMax());
    }

    private static LastModified lastModified(String id) {
        for (var choice : LastModified.values()) {
            if (choice.name().toLowerCase(Locale.ROOT).equals(id)) {
                return choice;
            }
        }
        throw new UsageException("--lastmod: expected header, fetched or none, not '" + id + "'");
    }

    private static int number(
            ParseResult arguments, String option, int fallback, int min, int max) {
        var text = arguments.matchedOptionValue(option, Integer.toString(fallback));
        if (text.matches("\\d{1,6}")) {
            var number = Integer.parseInt(text);
            if (number >= min && number <= max) {
                return number;
            }
        }
        throw new UsageException(
                "%s: expected a number from %d to %d, not '%s'".formatted(option, min, max, text));
    }
}
