package dev.orbweaver.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.export.KnownUrl;
import dev.orbweaver.export.KnownUrlFormat;
import dev.orbweaver.imports.SourceType;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingGroup;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.server.SiteMaps;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

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

    private static final long MAX_URLS_DEFAULT = 100_000;

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
                    "http2",
                    "insecure",
                    "resolve",
                    "dns-server",
                    "allow-private",
                    "allow-addresses",
                    "ct-endpoint",
                    "common-crawl-endpoint",
                    "wayback-endpoint",
                    "index-delay");

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
                                MapSettings.DEFAULTS.getOrDefault(
                                        setting.key(), setting.defaultValue())));
            }
        }
        groups.add(SettingGroup.COMMON.heading(), Options.quiet());
        CrawlCommand.addGeneral(groups);
        return spec;
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        var format = format(arguments.matchedOptionValue(FORMAT, KnownUrlFormat.TEXT.id()));
        var indexes = indexes(arguments.matchedOptionValue(INDEX, ""));
        var max = count(arguments, MAX_URLS, 1, Long.MAX_VALUE, MAX_URLS_DEFAULT);
        var depth = (int) count(arguments, DEPTH, 0, SiteMaps.DEPTH_MAX, 1);
        var config = config(arguments, depth);
        try (var crawl = TemporaryCrawl.create()) {
            var quiet = arguments.hasMatchedOption(Options.QUIET);
            var mapper = new SiteMapper(config, crawl, max, new Messages(terminal, quiet));
            var finished = mapper.read(depth, indexes);
            mapper.report(MAX_URLS);
            print(mapper.urls(), format);
            if (!finished) {
                return ExitCode.INTERRUPTED.code();
            }
            return (mapper.urls().isEmpty() ? ExitCode.NOTHING : ExitCode.COMPLETE).code();
        }
    }

    private record Messages(Terminal terminal, boolean quiet) implements SiteMapper.Listener {

        @Override
        public void warn(String sentence) {
            terminal.warn(sentence);
        }

        @Override
        public void progress(String what) {
            if (!quiet) {
                terminal.printError(what);
            }
        }
    }

    private static KnownUrlFormat format(String id) {
        return KnownUrlFormat.byId(id)
                .orElseThrow(
                        () ->
                                new UsageException(
                                        "%s: expected text, jsonl or sitemap, not '%s'"
                                                .formatted(FORMAT, id)));
    }

    /** Prints URLs in UTF-8, also where the terminal's character set is another one. */
    private void print(Collection<KnownUrl> urls, KnownUrlFormat format) {
        var out = terminal.data();
        out.writeBytes(format.start().getBytes(UTF_8));
        for (var url : urls) {
            out.writeBytes(format.line(url).getBytes(UTF_8));
        }
        out.writeBytes(format.end().getBytes(UTF_8));
        out.flush();
    }

    private static List<SourceType> indexes(String names) {
        var chosen = new ArrayList<SourceType>();
        for (var name : names.isEmpty() ? new String[0] : names.split(",", -1)) {
            chosen.add(
                    MapSettings.index(name.strip())
                            .orElseThrow(
                                    () ->
                                            new UsageException(
                                                    "%s: expected %s, not '%s'"
                                                            .formatted(
                                                                    INDEX,
                                                                    MapSettings.indexNames(),
                                                                    name))));
        }
        return chosen;
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
        var values = CrawlCommand.settings(arguments, terminal);
        return CrawlConfig.read(
                CrawlCommand.allowNamedOrigins(
                        MapSettings.of(values, depth).put(Settings.SEEDS, List.of(url)),
                        List.of(url)));
    }
}
