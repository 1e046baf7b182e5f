package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.imports.SeedSources;
import dev.orbweaver.imports.SourceType;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingGroup;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * {@code orbweaver map URL}: lists the URLs of a site that are known without crawling it.
 *
 * <p>The start page is fetched first, by a crawl in a temporary directory. It decides the scheme
 * and follows redirects, so sitemaps are looked up where the site is, and its feeds and links are
 * known without a second request.
 */
record MapCommand(Terminal terminal) implements Command {

    private static final String FORMAT = "--format";
    private static final String INDEX = "--index";
    private static final String DEPTH = "--depth";
    private static final String MAX_URLS = "--max-urls";

    private static final List<SourceType> INDEX_SERVERS =
            Stream.of(SourceType.values()).filter(SourceType::isIndexServer).toList();

    private static final long MAX_URLS_DEFAULT = 100_000;
    private static final int DEPTH_MAX = 10;

    /** The settings that concern a map; {@code --set} takes the others. */
    private static final Set<String> OFFERED =
            Set.of(
                    "scope",
                    "include",
                    "exclude",
                    "delay",
                    "contact",
                    "user-agent",
                    "max-pages",
                    "max-body",
                    "robots",
                    "exclude-hosts",
                    "timeout",
                    "proxy",
                    "header",
                    "credentials",
                    "insecure",
                    "resolve",
                    "dns-server",
                    "allow-private",
                    "allow-addresses",
                    "ct-endpoint",
                    "common-crawl-endpoint",
                    "wayback-endpoint",
                    "index-delay");

    /** Defaults that differ from those of a crawl: the user is waiting, and nothing is resumed. */
    private static final Map<String, String> DEFAULTS =
            Map.of("max-retries", "1", "max-idle-wait", "5s", "max-pages", "100");

    private static final Map<String, String> FIXED =
            Map.of(
                    "concurrency", "1",
                    "sitemaps", "false",
                    "page-requisites", "false",
                    "warc-compression", "none",
                    "min-free-disk", "none");

    static CommandSpec spec(Terminal terminal) {
        var command = new MapCommand(terminal);
        var spec =
                command.describe(
                        "map",
                        "List the URLs of a site that are known without crawling it.",
                        "Reads the site's sitemaps, the feeds of its start page and the links of"
                                + " the start page, and lists every URL once. Exits with code 3 if"
                                + " no URL is known.");
        spec.addPositional(
                Options.parameter(
                        0,
                        "URL",
                        "the start page; without a scheme, https is tried first, then http"));
        var groups = new OptionGroups(spec);
        groups.add(
                SettingGroup.COMMON.heading(),
                Options.text(
                        FORMAT,
                        "FORMAT",
                        "one of:",
                        "text        one URL per line (default)",
                        "jsonl       JSON objects with url, sources and lastmod",
                        "sitemap     a sitemap in XML"),
                Options.text(
                        INDEX,
                        "NAME,...",
                        "also search these index servers of third parties: common-crawl, wayback,"
                                + " ct (hosts with certificates; useful with --scope domain)"),
                Options.text(
                        DEPTH,
                        "N",
                        "follow links up to N hops from URL: 1 reads only the start page, 0 no page"
                                + " (default: 1)"),
                Options.text(
                        MAX_URLS,
                        "N",
                        "list at most N URLs (default: %,d)".formatted(MAX_URLS_DEFAULT)));
        for (var setting : Modules.SETTINGS.all()) {
            if (OFFERED.contains(setting.key())) {
                groups.add(
                        setting.group().heading(),
                        Options.of(
                                setting,
                                DEFAULTS.getOrDefault(setting.key(), setting.defaultValue())));
            }
        }
        groups.add(SettingGroup.COMMON.heading(), Options.quiet());
        CrawlCommand.addGeneral(groups);
        return spec;
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        var format = MapFormat.of(arguments.matchedOptionValue(FORMAT, MapFormat.TEXT.id()));
        var indexes = indexes(arguments.matchedOptionValue(INDEX, ""));
        var max = count(arguments, MAX_URLS, 1, Long.MAX_VALUE, MAX_URLS_DEFAULT);
        var depth = (int) count(arguments, DEPTH, 0, DEPTH_MAX, 1);
        var config = config(arguments, depth);
        try (var crawl = TemporaryCrawl.create()) {
            var quiet = arguments.hasMatchedOption(Options.QUIET);
            var mapper = new SiteMapper(config, crawl, max, terminal, quiet);
            var finished = mapper.read(depth, indexes);
            mapper.report(MAX_URLS);
            format.write(mapper.urls(), terminal.data());
            if (!finished) {
                return ExitCode.INTERRUPTED.code();
            }
            return (mapper.urls().isEmpty() ? ExitCode.NOTHING : ExitCode.COMPLETE).code();
        }
    }

    private static List<SourceType> indexes(String names) {
        var chosen = new ArrayList<SourceType>();
        for (var name : names.isEmpty() ? new String[0] : names.split(",", -1)) {
            chosen.add(
                    INDEX_SERVERS.stream()
                            .filter(type -> type.id().equals(name.strip()))
                            .findFirst()
                            .orElseThrow(() -> notAnIndex(name)));
        }
        return chosen;
    }

    private static UsageException notAnIndex(String name) {
        var names = INDEX_SERVERS.stream().map(SourceType::id).collect(Collectors.joining(", "));
        return new UsageException("%s: expected %s, not '%s'".formatted(INDEX, names, name));
    }

    private static long count(
            ParseResult arguments, String option, long min, long max, long fallback) {
        var text = arguments.matchedOptionValue(option, Long.toString(fallback));
        try {
            var number = Long.parseLong(text);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw new UsageException(
                "%s: expected a whole number from %d%s, not '%s'"
                        .formatted(option, min, max == Long.MAX_VALUE ? "" : " to " + max, text));
    }

    private CrawlConfig config(ParseResult arguments, int depth) throws ConfigException {
        var url = arguments.matchedPositionalValue(0, "");
        var values = new SettingValues(Modules.SETTINGS);
        DEFAULTS.forEach(values::put);
        values.putAll(CrawlCommand.settings(arguments, terminal));
        FIXED.forEach(values::put);
        values.put("max-depth", Integer.toString(Math.max(0, depth - 1)));
        // A configuration file may name databases, which are not to get these pages.
        var sources = Settings.CORE.with(SeedSources.extension());
        Modules.SETTINGS.all().stream()
                .filter(setting -> sources.find(setting.key()).isEmpty())
                .forEach(setting -> values.put(setting.key(), setting.defaultValue()));
        return CrawlConfig.read(
                CrawlCommand.allowNamedOrigins(
                        values.put(Settings.SEEDS, List.of(url)), List.of(url)));
    }
}
