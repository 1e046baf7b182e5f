package dev.orbweaver.cli;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.ExclusionList;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.model.HostPattern;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** {@code orbweaver exclude DIR HOST...}: leaves hosts alone, also in a crawl that runs. */
record ExcludeCommand(Terminal terminal) implements Command {

    private static final String UNDO = "--undo";
    private static final int HOSTS_FROM = 1;

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new ExcludeCommand(terminal)
                        .describe(
                                "exclude",
                                "Leave hosts alone from now on, or take them up again.",
                                "What waits on them is withdrawn, not lost. A crawl that runs takes"
                                        + " it up within seconds. Without HOST, the list is shown.",
                                "");
        spec.addPositional(Options.directory());
        spec.addPositional(
                Options.parameters(
                        HOSTS_FROM,
                        "0..*",
                        "HOST",
                        "NAME, *.NAME for all below it, .NAME for both"));
        spec.addOption(Options.toggle(UNDO, "take these hosts off the list again"));
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var directory = Directories.fromArgument(arguments);
        var _ = Directories.settings(directory); // It must be a crawl's.
        var list = directory.resolve(DirectoryLayout.EXCLUDED_HOSTS);
        List<String> texts = arguments.matchedPositionalValue(HOSTS_FROM, List.of());
        var undo = arguments.hasMatchedOption(UNDO);
        if (texts.isEmpty()) {
            if (undo) {
                throw new UsageException("--undo needs a HOST: name those to take off the list");
            }
            ExclusionList.read(list).forEach(terminal.out()::println);
            return ExitCode.COMPLETE.code();
        }
        var patterns = patterns(texts);
        warnOfUnlisted(list, undo ? patterns : Set.of());
        ExclusionList.change(list, undo ? Set.of() : patterns, undo ? patterns : Set.of());
        terminal.print(
                "%s %s; %s"
                        .formatted(
                                texts.size() == 1 ? texts.getFirst() : texts.size() + " hosts",
                                undo ? "no longer excluded" : "excluded",
                                effectiveWhen(directory)));
        return ExitCode.COMPLETE.code();
    }

    private static String effectiveWhen(Path directory) throws IOException {
        return CrawlDirectory.isRunning(directory)
                ? "the crawl that runs takes that up within seconds"
                : "it counts from the next ./orbweaver resume " + directory;
    }

    private void warnOfUnlisted(Path list, Set<HostPattern> removed) throws IOException {
        var there = Set.copyOf(ExclusionList.read(list));
        for (var pattern : removed) {
            if (!there.contains(pattern)) {
                terminal.warn("not on the list: " + pattern);
            }
        }
    }

    private static Set<HostPattern> patterns(List<String> texts) {
        var patterns = new LinkedHashSet<HostPattern>();
        for (var text : texts) {
            patterns.add(
                    ExclusionList.pattern(text)
                            .orElseThrow(
                                    () ->
                                            new UsageException(
                                                    "'%s' is not a host name, *.name or .name"
                                                            .formatted(text))));
        }
        return patterns;
    }
}
