package dev.orbweaver.cli;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Preset;
import dev.orbweaver.config.SettingValues;
import dev.orbweaver.config.Settings;
import dev.orbweaver.export.DocsExport;
import dev.orbweaver.export.ExportSettings.Text;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** {@code orbweaver docs URL}: a manual on the web as one Markdown document and one text file. */
record DocsCommand(Terminal terminal) implements Command {

    static final String MARKDOWN = "docs.md";
    static final String FULL = "llms-full.txt";

    /** A path that is a folder whose slash was left out: its last part looks like no file. */
    private static final Pattern BARE_DIRECTORY =
            Pattern.compile("^https?://[^/?#]+(/[^?#]*/?[^/.?#]+)$");

    static CommandSpec spec(Terminal terminal) {
        var command = new DocsCommand(terminal);
        var spec =
                command.describe(
                        "docs",
                        "Make one Markdown document of a manual on the web.",
                        "Written are docs.md, for people, and llms-full.txt, for language models.",
                        "It is a crawl with --preset documentation: the part of the site below the"
                            + " URL's path, sitemaps first. Run again, it goes on where it was.",
                        "");
        spec.addPositional(Options.parameter(0, "URL", "where the documentation begins"));
        spec.addOption(
                Options.text(
                        Options.OUT,
                        "DIR",
                        "the folder for everything; default: a new one named after the host"));
        ExportOptions.addText(spec);
        CrawlCommand.addSettings(spec);
        spec.addOption(Options.quiet());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        var text = ExportOptions.text(arguments);
        var config = config(arguments);
        var directory =
                Directories.outputDirectory(arguments, config.seeds().getFirst().url().host());
        CrawlCommand.requireSameSeeds(config, directory);
        var quiet = arguments.hasMatchedOption(Options.QUIET);
        var code = new CrawlRun(terminal, quiet, false).run(config, directory);
        if (code == ExitCode.COMPLETE.code() || code == ExitCode.WAITING.code()) {
            write(directory, text, quiet);
        }
        return code;
    }

    private static CrawlConfig config(ParseResult arguments) throws ConfigException {
        var url = arguments.matchedPositionalValue(0, "");
        var settingValues =
                new SettingValues(Modules.SETTINGS).put(Preset.KEY, Preset.DOCUMENTATION.id());
        var directory = BARE_DIRECTORY.matcher(url);
        if (directory.matches()) {
            // The scope would begin at the folder above: what a site keeps beside it is not meant.
            settingValues.put(
                    "include",
                    "^https?://[^/]*" + Pattern.quote(directory.group(1)) + "(?:[/?]|$)");
        }
        return CrawlConfig.read(
                CrawlCommand.allowNamedOrigins(
                        settingValues
                                .putAll(CrawlCommand.settings(arguments))
                                .put(Settings.SEEDS, List.of(url)),
                        List.of(url)));
    }

    private void write(Path directory, Text text, boolean quiet)
            throws ConfigException, IOException {
        var markdown = directory.resolve(MARKDOWN);
        var full = directory.resolve(FULL);
        var report =
                DocsExport.write(
                        CrawlDirectory.pages(List.of(directory), Modules.SETTINGS),
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
