package dev.orbweaver.cli;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.disk.DirectoryLayout;

import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/** Folders as they are named on the command line. */
final class Directories {

    private Directories() {}

    /** The folder that {@code --out} names, or a new one: NAME, NAME-2, NAME-3 and so on. */
    static Path outputDirectory(ParseResult arguments, String name) {
        if (arguments.hasMatchedOption(Options.OUT)) {
            var out = parse(arguments.matchedOptionValue(Options.OUT, ""));
            if (hasJobs(out)) {
                throw new UsageException(
                        out
                                + " is the folder of a service or of a fleet's worker, whose jobs"
                                + " are below it: choose another with --out");
            }
            return out;
        }
        var safe = name.replaceAll("[^A-Za-z0-9._-]", "_");
        var directory = Path.of(safe);
        for (var number = 2; Files.exists(directory); number++) {
            directory = Path.of(safe + "-" + number);
        }
        return directory;
    }

    static Path fromArgument(ParseResult arguments) {
        return parse(arguments.matchedPositionalValue(0, ""));
    }

    static CrawlPages pages(List<String> names) throws ConfigException, IOException {
        var directories = names.stream().map(Directories::parse).toList();
        for (var directory : directories) {
            requireCrawl(directory);
        }
        return CrawlDirectory.pages(directories, Modules.SETTINGS);
    }

    static Path parse(String text) {
        try {
            if (!text.isBlank()) {
                return Path.of(text);
            }
        } catch (InvalidPathException e) {
            throw new UsageException("there can be no folder of that name: " + e.getReason());
        }
        throw new UsageException("the name of the folder is empty");
    }

    static CrawlConfig settings(Path directory) throws ConfigException {
        requireCrawl(directory);
        return CrawlDirectory.open(directory, Modules.SETTINGS).config();
    }

    /** Whether a folder is one of many jobs, and so no crawl of its own. */
    private static boolean hasJobs(Path directory) {
        return Files.isDirectory(directory.resolve(DirectoryLayout.JOBS))
                && !CrawlDirectory.isCrawl(directory);
    }

    private static void requireCrawl(Path directory) {
        if (hasJobs(directory)) {
            throw new UsageException(
                    "%s is the folder of a service or of a fleet's worker: name one of its jobs, such as %s"
                            .formatted(
                                    directory,
                                    directory.resolve(DirectoryLayout.JOBS).resolve("1")));
        }
        if (!CrawlDirectory.isCrawl(directory)) {
            throw new UsageException(
                    "there is no crawl in "
                            + directory
                            + "; begin one with: orbweaver crawl URL --out "
                            + directory);
        }
    }
}
