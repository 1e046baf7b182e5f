package dev.orbweaver.cli;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.archive.CrawlPages;
import dev.orbweaver.cli.Failure.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;

import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/** Folders as they are named on the command line. */
final class Folders {

    private Folders() {}

    /** The folder that {@code --out} names, or a new one: NAME, NAME-2, NAME-3 and so on. */
    static Path out(ParseResult arguments, String name) {
        if (arguments.hasMatchedOption(Options.OUT)) {
            var out = named(arguments.matchedOptionValue(Options.OUT, ""));
            if (hasJobs(out)) {
                throw new UsageException(
                        out
                                + " is the folder of a service or of a fleet's worker, whose jobs"
                                + " are below it: choose another with --out");
            }
            return out;
        }
        var safe = name.replaceAll("[^A-Za-z0-9._-]", "_");
        var folder = Path.of(safe);
        for (var number = 2; Files.exists(folder); number++) {
            folder = Path.of(safe + "-" + number);
        }
        return folder;
    }

    /** The folder that a command was given to work on. */
    static Path given(ParseResult arguments) {
        return named(arguments.matchedPositionalValue(0, ""));
    }

    /** The pages of crawls, each of which must be there. */
    static CrawlPages pages(List<String> names) throws ConfigException, IOException {
        var folders = names.stream().map(Folders::named).toList();
        for (var folder : folders) {
            requireCrawl(folder);
        }
        return CrawlDirectory.pages(folders, Modules.SETTINGS);
    }

    static Path named(String text) {
        try {
            if (!text.isBlank()) {
                return Path.of(text);
            }
        } catch (InvalidPathException e) {
            throw new UsageException("there can be no folder of that name: " + e.getReason());
        }
        throw new UsageException("the name of the folder is empty");
    }

    /** The settings of the crawl in a folder that must hold one. */
    static CrawlConfig settings(Path folder) throws ConfigException {
        requireCrawl(folder);
        return CrawlDirectory.open(folder, Modules.SETTINGS).config();
    }

    /** Whether a folder is one of many jobs, and so no crawl of its own. */
    private static boolean hasJobs(Path folder) {
        return Files.isDirectory(folder.resolve("jobs")) && !CrawlDirectory.isCrawl(folder);
    }

    private static void requireCrawl(Path folder) {
        if (hasJobs(folder)) {
            throw new UsageException(
                    "%s is the folder of a service or of a fleet's worker: name one of its jobs, such as %s"
                            .formatted(folder, folder.resolve("jobs").resolve("1")));
        }
        if (!CrawlDirectory.isCrawl(folder)) {
            throw new UsageException(
                    "there is no crawl in "
                            + folder
                            + "; begin one with: orbweaver crawl URL --out "
                            + folder);
        }
    }
}
