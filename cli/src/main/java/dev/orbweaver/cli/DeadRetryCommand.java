package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Seed;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Fingerprint;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** {@code orbweaver dead retry DIR}: queues failed URLs again. */
record DeadRetryCommand(Terminal terminal) implements Command {

    private static final int URLS_FROM = 1;

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new DeadRetryCommand(terminal)
                        .describe(
                                "retry",
                                "Queue failed URLs again: those given, or all.",
                                "The crawl must not be running; 'resume' then fetches them.");
        DeadCommand.addShared(spec);
        spec.addPositional(Options.parameters(URLS_FROM, "0..*", "URL", "only these URLs"));
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var which = DeadCommand.causeFilter(arguments);
        var directory = Directories.fromArgument(arguments);
        var config = Directories.settings(directory);
        var missing = named(arguments, new StoredCrawl(directory, config).urls());
        var all = missing.isEmpty();
        var named = Set.copyOf(missing.keySet());
        var queued =
                retry(
                        config,
                        directory,
                        letter -> {
                            var key = letter.url().key();
                            var selected = which.test(letter) && (all || named.contains(key));
                            if (selected) {
                                missing.remove(key);
                            }
                            return selected;
                        });
        missing.values().forEach(url -> terminal.warn("not a dead letter: " + url));
        terminal.print(
                queued == 0
                        ? "no URLs to retry"
                        : "%s queued again; to fetch %s: %s"
                                .formatted(
                                        Numbers.count(queued),
                                        queued == 1 ? "it" : "them",
                                        CommandHint.of("resume", directory)));
        return ExitCode.COMPLETE.code();
    }

    private static long retry(CrawlConfig config, Path directory, Predicate<DeadLetter> which)
            throws IOException {
        try (var _ = logging(directory)) {
            return new StoredCrawl(directory, config).retryDeadLetters(which);
        }
    }

    /** Logs to the directory, unless a running crawl does; then the retry is rejected anyway. */
    private static Closeable logging(Path directory) throws IOException {
        return StoredCrawl.isRunning(directory) ? () -> {} : Logging.toDirectory(directory);
    }

    private static Map<Fingerprint, String> named(ParseResult arguments, CrawlUrls urls) {
        var named = new LinkedHashMap<Fingerprint, String>();
        List<String> texts = arguments.matchedPositionalValue(URLS_FROM, List.of());
        for (var text : texts) {
            var url = urls.parse(text).orElseThrow(() -> new UsageException(Seed.problem(text)));
            named.put(url.key(), text);
        }
        return named;
    }
}
