package dev.orbweaver.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.export.ContentKind;
import dev.orbweaver.export.PageContents;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingGroup;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.explain.UrlExplanation;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.PrintableText;
import dev.orbweaver.model.Refusal;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * {@code orbweaver fetch URL}: prints one page to standard output.
 *
 * <p>It is a crawl of one page in a temporary directory, so robots.txt, delays, redirects, the
 * address guard and all limits are those of {@code crawl}.
 */
record FetchCommand(Terminal terminal) implements Command {

    private static final String AS = "--as";

    /** The form of the output. */
    private enum Form {
        MARKDOWN,
        HTML,
        TEXT,
        LINKS,
        JSON;

        String id() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Form of(String id) {
            return Stream.of(values())
                    .filter(form -> form.id().equals(id))
                    .findFirst()
                    .orElseThrow(
                            () ->
                                    new UsageException(
                                            "%s: expected markdown, html, text, links or json, not '%s'"
                                                    .formatted(AS, id)));
        }
    }

    /** The settings that concern one page; {@code --set} takes the others. */
    private static final Set<String> OFFERED =
            Set.of(
                    "delay",
                    "contact",
                    "user-agent",
                    "max-time",
                    "max-redirects",
                    "max-body",
                    "max-content-length",
                    "skip-types",
                    "robots",
                    "exclude-hosts",
                    "purpose",
                    "timeout",
                    "connect-timeout",
                    "first-byte-timeout",
                    "dns-timeout",
                    "max-retries",
                    "proxy",
                    "header",
                    "credentials",
                    "cookies",
                    "cookies-file",
                    "http2",
                    "insecure",
                    "resolve",
                    "dns-server",
                    "allow-private",
                    "allow-addresses",
                    "max-header");

    /** Defaults that differ from those of a crawl: the user is waiting, and nothing is resumed. */
    private static final Map<String, String> DEFAULTS =
            Map.of("max-retries", "0", "max-idle-wait", "5s", "max-time", "5m");

    /** What makes it a crawl of one page. */
    private static final Map<String, String> FIXED =
            Map.of(
                    "max-pages", "1",
                    "max-depth", "0",
                    "concurrency", "1",
                    "sitemaps", "false",
                    "page-requisites", "false",
                    "warc-compression", "none",
                    "min-free-disk", "none");

    static CommandSpec spec(Terminal terminal) {
        var command = new FetchCommand(terminal);
        var spec =
                command.describe(
                        "fetch",
                        "Print one page to standard output.",
                        "Fetches the URL as a crawl would, with robots.txt, delays, redirects and"
                                + " the same limits, and leaves no directory behind. Exits with"
                                + " code 3 if there is no page.");
        spec.addPositional(
                Options.parameter(
                        0, "URL", "the page; without a scheme, https is tried first, then http"));
        var groups = new OptionGroups(spec);
        groups.add(
                SettingGroup.COMMON.heading(),
                Options.text(
                        AS,
                        "FORM",
                        "one of:",
                        "markdown    main content as Markdown (default)",
                        "html        the document in UTF-8",
                        "text        main text without markup",
                        "links       absolute URLs of all links, one per line",
                        "json        page log record, metadata and links"));
        for (var setting : Modules.SETTINGS.all()) {
            if (OFFERED.contains(setting.key())) {
                groups.add(
                        setting.group().heading(),
                        Options.of(
                                setting,
                                DEFAULTS.getOrDefault(setting.key(), setting.defaultValue())));
            }
        }
        CrawlCommand.addGeneral(groups);
        return spec;
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        var form = Form.of(arguments.matchedOptionValue(AS, Form.MARKDOWN.id()));
        var config = config(arguments);
        try (var crawl = TemporaryCrawl.create()) {
            var end = crawl.run(config);
            return switch (end.reason()) {
                case COMPLETE, MAX_PAGES, MAX_BYTES, MAX_TIME, WAITING ->
                        print(crawl.directory(), config, end, form);
                case STOPPED -> ExitCode.INTERRUPTED.code();
                case RETENTION, BROKEN -> fail(end.detail(), ExitCode.OUTPUT);
                case HANDLER_FAILED, INTERNAL -> fail(end.detail(), ExitCode.INTERNAL);
            };
        }
    }

    private CrawlConfig config(ParseResult arguments) throws ConfigException {
        var url = arguments.matchedPositionalValue(0, "");
        var values = new SettingValues(Modules.SETTINGS);
        DEFAULTS.forEach(values::put);
        values.putAll(CrawlCommand.settings(arguments, terminal));
        FIXED.forEach(values::put);
        // A configuration file may name databases, which are not to get this page.
        Modules.SETTINGS.all().stream()
                .filter(setting -> !Settings.CORE.all().contains(setting))
                .forEach(setting -> values.put(setting.key(), setting.defaultValue()));
        return CrawlConfig.read(
                CrawlCommand.allowNamedOrigins(
                        values.put(Settings.SEEDS, List.of(url)), List.of(url)));
    }

    private int print(Path directory, CrawlConfig config, CrawlEnd end, Form form)
            throws ConfigException, IOException {
        var crawl = StoredCrawl.pages(List.of(directory), Modules.SETTINGS);
        var redirects = new ArrayList<PageLogEntry>();
        var settled = new ArrayList<PageLogEntry>();
        crawl.forEachLine(
                line -> {
                    if (line.kind() == Kind.REDIRECT) {
                        redirects.add(line.entry());
                    }
                    if (line.kind() != Kind.ROBOTS) {
                        settled.add(line.entry());
                    }
                });
        var page = settled.stream().filter(line -> line.kind() == Kind.PAGE).findFirst();
        if (page.isEmpty()) {
            return fail(
                    failure(new StoredCrawl(directory, config), settled, config, end),
                    ExitCode.NOTHING);
        }
        var pages = new PageContents(crawl.directories().getFirst());
        var content = pages.load(page.get());
        if (content.isEmpty()) {
            return fail(page.get().url() + ": the response was not stored", ExitCode.NOTHING);
        }
        if (form != Form.JSON && !PageContents.isHtml(page.get())) {
            return fail(
                    "%s has the media type %s; --as %s needs an HTML page, --as json does not"
                            .formatted(page.get().url(), page.get().mediaType(), form.id()),
                    ExitCode.NOTHING);
        }
        if (content.get().truncated()) {
            terminal.warn(page.get().url() + " is larger than --max-body; its end is missing");
        }
        var text =
                switch (form) {
                    case MARKDOWN -> pages.content(content.get(), ContentKind.MARKDOWN);
                    case HTML -> pages.content(content.get(), ContentKind.HTML);
                    case TEXT -> pages.content(content.get(), ContentKind.TEXT);
                    case LINKS ->
                            pages.links(content.get()).stream()
                                    .map(link -> link.url() + "\n")
                                    .distinct()
                                    .collect(Collectors.joining());
                    case JSON -> pages.json(page.get(), content.get(), redirects);
                };
        // Always UTF-8, also where the terminal's character set is another one.
        terminal.data().writeBytes(text.getBytes(UTF_8));
        terminal.data().flush();
        return ExitCode.COMPLETE.code();
    }

    private int fail(String sentence, ExitCode code) {
        terminal.printError("orbweaver: " + PrintableText.line(sentence));
        return code.code();
    }

    /** Returns why there is no page, in one sentence about the last URL of the redirects. */
    private static String failure(
            StoredCrawl crawl, List<PageLogEntry> settled, CrawlConfig config, CrawlEnd end)
            throws IOException {
        if (settled.isEmpty()) {
            return notFetched(config.seeds().getFirst().url().text(), end.detail());
        }
        var last = settled.getLast();
        return switch (last.kind()) {
            case REDIRECT -> failedRedirect(crawl, settled, end);
            case ERROR ->
                    notFetched(last.url(), "the server responded with status " + last.status());
            case FAILED, RETRIED, WITHDRAWN, PAGE, SITEMAP, ROBOTS ->
                    notFetched(last.url(), last.cause() + ": " + last.detail());
        };
    }

    private static String notFetched(String url, String why) {
        var hint =
                why.startsWith(Refusal.ADDRESS.id() + ":")
                        ? "; use --allow-private if it may be requested"
                        : "";
        return url + " was not fetched: " + why + hint;
    }

    /** Explains a redirect whose target has no line in the page log. */
    private static String failedRedirect(
            StoredCrawl crawl, List<PageLogEntry> settled, CrawlEnd end) throws IOException {
        var last = settled.getLast();
        var urls = crawl.urls();
        var target = urls.parse(last.url()).flatMap(from -> urls.resolve(from, last.location()));
        if (target.isEmpty()) {
            return notFetched(
                    last.url(),
                    "it redirects to '%s', not an http or https URL".formatted(last.location()));
        }
        var url = target.get().text();
        if (settled.stream().anyMatch(line -> line.url().equals(url))) {
            return notFetched(
                    url, "it redirects to itself, through %d URLs".formatted(settled.size()));
        }
        var explanation = crawl.explain(url);
        return notFetched(
                url,
                explanation
                        .filter(each -> each.state() != UrlExplanation.State.QUEUED)
                        .map(UrlExplanation::reason)
                        .orElse(end.detail()));
    }
}
