package dev.orbweaver.cli;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.export.DocsExport;
import dev.orbweaver.export.ExportSettings.Text;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Preset;
import dev.orbweaver.internal.config.SettingGroup;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.engine.StoredCrawl;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** {@code orbweaver docs URL}: a documentation site as one Markdown file and one text file. */
record DocsCommand(Terminal terminal) implements Command {

    static final String MARKDOWN = "docs.md";
    static final String FULL = "llms-full.txt";

    /** A directory URL without the final slash: its last segment has no file extension. */
    private static final Pattern BARE_DIRECTORY =
            Pattern.compile("^https?://[^/?#]+(/[^?#]*/?[^/.?#]+)$");

    static CommandSpec spec(Terminal terminal) {
        var command = new DocsCommand(terminal);
        var spec =
                command.describe(
                        "docs",
                        "Save a documentation site as one Markdown file.",
                        "Crawls the part of the site below the URL's path, with"
                                + " --preset=documentation, and writes docs.md, for people, and"
                                + " llms-full.txt, for language models. Run again, it resumes the"
                                + " crawl.");
        spec.addPositional(Options.parameter(0, "URL", "start page of the documentation"));
        var groups = new OptionGroups(spec);
        groups.add(
                SettingGroup.COMMON.heading(),
                Options.text(
                        Options.OUT,
                        "DIR",
                        "output directory (default: named after the host; one that contains a"
                                + " crawl of the same URL is resumed)"));
        CrawlCommand.addSettings(groups, Preset.DOCUMENTATION);
        groups.add(SettingGroup.COMMON.heading(), Options.quiet());
        groups.add(SettingGroup.OUTPUT.heading(), ExportOptions.text());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        var text = ExportOptions.text(arguments);
        var config = config(arguments);
        var directory =
                Directories.outputDirectory(
                        arguments,
                        config.seeds().getFirst().url().host(),
                        existing -> CrawlCommand.hasSameSeeds(config, existing));
        CrawlCommand.requireSameSeeds(config, directory);
        var quiet = arguments.hasMatchedOption(Options.QUIET);
        if (StoredCrawl.isCrawl(directory)) {
            new StartedCrawl(directory, config)
                    .prepareRestart(quiet ? terminal.silent() : terminal);
        }
        var code = new CrawlRun(terminal, quiet, false).run(config, directory);
        if (code == ExitCode.COMPLETE.code() || code == ExitCode.WAITING.code()) {
            write(directory, text, quiet);
        }
        return code;
    }

    private CrawlConfig config(ParseResult arguments) throws ConfigException {
        var url = arguments.matchedPositionalValue(0, "");
        var settingValues =
                new SettingValues(Modules.SETTINGS).put(Preset.KEY, Preset.DOCUMENTATION.id());
        var directory = BARE_DIRECTORY.matcher(url);
        if (directory.matches()) {
            // The scope would be the parent directory, with unrelated pages beside the manual.
            settingValues.put(
                    "include",
                    "^https?://[^/]*" + Pattern.quote(directory.group(1)) + "(?:[/?]|$)");
        }
        return CrawlConfig.read(
                CrawlCommand.allowNamedOrigins(
                        settingValues
                                .putAll(CrawlCommand.settings(arguments, terminal))
                                .put(Settings.SEEDS, List.of(url)),
                        List.of(url)));
    }

    private void write(Path directory, Text text, boolean quiet)
            throws ConfigException, IOException {
        var markdown = directory.resolve(MARKDOWN);
        var full = directory.resolve(FULL);
        var report =
                DocsExport.write(
                        StoredCrawl.pages(List.of(directory), Modules.SETTINGS),
                        text,
                        markdown,
                        full);
        if (quiet) {
            return;
        }
        var pages = report.count() == 1 ? "page" : "pages";
        terminal.print(
                "%s %s in %s (%s) and %s (%s)"
                        .formatted(
                                Numbers.count(report.count()),
                                pages,
                                markdown,
                                Numbers.bytes(Files.size(markdown)),
                                full,
                                Numbers.bytes(Files.size(full))));
        report.notes().forEach(note -> terminal.printError("note: " + note));
    }
}
