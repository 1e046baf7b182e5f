package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.ExclusionList;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.model.HostPattern;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** {@code orbweaver exclude DIR HOST...}: excludes hosts, also from a running crawl. */
record ExcludeCommand(Terminal terminal) implements Command {

    private static final String UNDO = "--undo";
    private static final int HOSTS_FROM = 1;

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new ExcludeCommand(terminal)
                        .describe(
                                "exclude",
                                "Exclude hosts from a crawl, or include them again.",
                                "Queued URLs of these hosts are withdrawn, and queued again with"
                                        + " --undo. A running crawl applies the change within"
                                        + " seconds. Without HOST, prints the list.");
        spec.addPositional(Options.directory());
        spec.addPositional(
                Options.parameters(
                        HOSTS_FROM,
                        "0..*",
                        "HOST",
                        "example.com, *.example.com (its subdomains) or .example.com (both)"));
        spec.addOption(Options.toggle(UNDO, "remove these hosts from the list"));
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var directory = Directories.fromArgument(arguments);
        var _ = Directories.settings(directory); // Fails if the directory contains no crawl.
        var list = directory.resolve(DirectoryLayout.EXCLUDED_HOSTS);
        List<String> texts = arguments.matchedPositionalValue(HOSTS_FROM, List.of());
        var undo = arguments.hasMatchedOption(UNDO);
        if (texts.isEmpty()) {
            if (undo) {
                throw new UsageException("--undo needs a HOST: the hosts to remove from the list");
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
        return StoredCrawl.isRunning(directory)
                ? "the running crawl applies this within seconds"
                : "effective with the next " + CommandHint.of("resume", directory);
    }

    private void warnOfUnlisted(Path list, Set<HostPattern> removed) throws IOException {
        var listed = Set.copyOf(ExclusionList.read(list));
        for (var pattern : removed) {
            if (!listed.contains(pattern)) {
                terminal.warn("not in the list: " + pattern);
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
                                                    "'%s' is not a host pattern; expected NAME, *.NAME or .NAME"
                                                            .formatted(text))));
        }
        return patterns;
    }
}
