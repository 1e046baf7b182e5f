package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.export.ExportFormat;
import dev.orbweaver.export.ExportSettings;
import dev.orbweaver.export.ExportSettings.LastModified;
import dev.orbweaver.export.ExportSettings.Sitemap;
import dev.orbweaver.export.ExportSettings.Text;
import dev.orbweaver.export.ExportTarget;
import dev.orbweaver.internal.archive.PageFilter;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The options that say what goes into an export and how. */
final class ExportOptions {

    private static final String HOST = "--host";
    private static final String PATH = "--path";
    private static final String LANGUAGE = "--language";
    private static final String QUALITY = "--min-quality";
    private static final String NEAR = "--keep-near-duplicates";
    private static final String IMAGES = "--images";
    private static final String TITLE = "--title";
    private static final String CHUNK = "--chunk-tokens";
    private static final String ALL = "--all";
    private static final String GZIP = "--gzip";
    private static final String LASTMOD = "--lastmod";
    private static final String INDEXABLE = "--indexable";
    private static final String BASE_URL = "--base-url";

    private static final int CHUNK_MIN = 16;
    private static final int CHUNK_MAX = 100_000;

    private static final Set<ExportFormat> TEXT_FORMATS =
            EnumSet.of(ExportFormat.MARKDOWN, ExportFormat.LLMS_TXT, ExportFormat.CHUNKS);
    private static final Set<ExportFormat> LINE_FORMATS =
            EnumSet.of(ExportFormat.JSONL, ExportFormat.CSV, ExportFormat.PARQUET);
    private static final Set<ExportFormat> SITEMAP_FORMATS = EnumSet.of(ExportFormat.SITEMAP);

    /** Which formats an option says something to; the others take it for any. */
    private static final Map<String, Set<ExportFormat>> APPLICABLE_FORMATS =
            Map.of(
                    LANGUAGE, TEXT_FORMATS,
                    QUALITY, TEXT_FORMATS,
                    NEAR, TEXT_FORMATS,
                    IMAGES, TEXT_FORMATS,
                    TITLE,
                            EnumSet.of(
                                    ExportFormat.MARKDOWN,
                                    ExportFormat.LLMS_TXT,
                                    ExportFormat.WACZ),
                    CHUNK, EnumSet.of(ExportFormat.CHUNKS),
                    ALL, LINE_FORMATS,
                    GZIP, SITEMAP_FORMATS,
                    LASTMOD, SITEMAP_FORMATS,
                    BASE_URL, SITEMAP_FORMATS);

    private ExportOptions() {}

    static void addFilters(CommandSpec spec) {
        spec.addOption(Options.list(HOST, "HOST", "only pages of this host"));
        spec.addOption(Options.list(PATH, "PREFIX", "only pages whose path begins so"));
    }

    static void addText(CommandSpec spec) {
        spec.addOption(
                Options.list(
                        LANGUAGE,
                        "LANG",
                        "only pages that say they are in it: en takes en-GB too"));
        spec.addOption(
                Options.text(
                        QUALITY,
                        "N",
                        "only pages worth at least this, from 0 to 100; default: 1, which leaves"
                                + " out the empty ones"));
        spec.addOption(Options.toggle(NEAR, "keep pages that say nearly what an earlier one said"));
        spec.addOption(Options.toggle(IMAGES, "keep images, as links"));
        spec.addOption(
                Options.text(TITLE, "TEXT", "what the whole is called; default: its first title"));
    }

    static void addFormatSpecific(CommandSpec spec) {
        spec.addOption(text(CHUNK, "N", "chunks: about so many tokens at most; default: 512"));
        spec.addOption(
                Options.toggle(ALL, "jsonl, csv, parquet: every settled URL, not pages alone"));
        spec.addOption(Options.toggle(GZIP, "sitemap: compress the files"));
        spec.addOption(
                text(
                        LASTMOD,
                        "WORD",
                        "sitemap: header (what the server said), fetched or none; default:"
                                + " header"));
        spec.addOption(
                Options.toggle(
                        INDEXABLE,
                        "sitemap: leave out pages that say noindex or name another canonical URL"));
        spec.addOption(
                text(
                        BASE_URL,
                        "URL",
                        "sitemap: where the files will be served from; default: the host's root"));
    }

    private static OptionSpec text(String name, String label, String help) {
        return Options.text(name, label, help);
    }

    static ExportSettings settings(
            ParseResult arguments, ExportFormat exportFormat, ExportTarget exportTarget) {
        requireApplicable(arguments, exportFormat);
        var settings =
                ExportSettings.of(exportFormat, exportTarget)
                        .with(filter(arguments))
                        .with(text(arguments))
                        .with(sitemap(arguments));
        return arguments.hasMatchedOption(ALL) ? settings.withAllLines() : settings;
    }

    private static void requireApplicable(ParseResult arguments, ExportFormat exportFormat) {
        for (var option : APPLICABLE_FORMATS.entrySet()) {
            if (arguments.hasMatchedOption(option.getKey())
                    && !option.getValue().contains(exportFormat)) {
                throw new UsageException(
                        "%s says nothing to the format %s, only to %s"
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
                        "--path takes the beginning of a path, such as /docs/, not '" + path + "'");
            }
        }
        var hosts =
                arguments.matchedOptionValue(HOST, List.<String>of()).stream()
                        .map(host -> host.toLowerCase(Locale.ROOT))
                        .toList();
        return new PageFilter(hosts, paths);
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
            throw new UsageException("--base-url takes an http or https URL, not '" + base + "'");
        }
        return new Sitemap(
                arguments.hasMatchedOption(GZIP),
                lastModified(arguments.matchedOptionValue(LASTMOD, "header")),
                arguments.hasMatchedOption(INDEXABLE),
                base,
                Sitemap.DEFAULT.urlsMax(),
                Sitemap.DEFAULT.bytesMax());
    }

    private static LastModified lastModified(String word) {
        for (var choice : LastModified.values()) {
            if (choice.name().toLowerCase(Locale.ROOT).equals(word)) {
                return choice;
            }
        }
        throw new UsageException("--lastmod takes header, fetched or none, not '" + word + "'");
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
                "%s takes a number from %d to %d, not '%s'".formatted(option, min, max, text));
    }
}
