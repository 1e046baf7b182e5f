package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.StoredCrawl;

import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/** Directories that are named on the command line. */
final class Directories {

    private Directories() {}

    /** Returns the directory of {@code --out}, or a new one: NAME, NAME-2, NAME-3 and so on. */
    static Path outputDirectory(ParseResult arguments, String name) {
        return outputDirectory(arguments, name, _ -> false);
    }

    /** Returns the first of NAME, NAME-2 and so on that is reusable or new, without --out. */
    static Path outputDirectory(ParseResult arguments, String name, Predicate<Path> reusable) {
        if (arguments.hasMatchedOption(Options.OUT)) {
            var out = parse(arguments.matchedOptionValue(Options.OUT, ""));
            if (hasJobs(out)) {
                throw new UsageException(
                        out
                                + " is the directory of a service or a fleet's worker; choose"
                                + " another with --out");
            }
            return out;
        }
        var safe = name.replaceAll("[^A-Za-z0-9._-]", "_");
        var directory = Path.of(safe);
        for (var number = 2; Files.exists(directory) && !reusable.test(directory); number++) {
            directory = Path.of(safe + "-" + number);
        }
        return directory;
    }

    /** Creates a directory for output, and checks that files can be created in it. */
    static void create(Path directory) throws IOException {
        try {
            Files.createDirectories(directory);
        } catch (NoSuchFileException e) { // As in /proc, where the parent exists.
            throw new FileSystemException(e.getFile(), null, "cannot be created");
        }
        if (!Files.isWritable(directory)) {
            throw new AccessDeniedException(directory.toString());
        }
    }

    static Path fromArgument(ParseResult arguments) {
        return parse(arguments.matchedPositionalValue(0, ""));
    }

    static CrawlPages pages(List<String> names) throws ConfigException, IOException {
        var directories = names.stream().map(Directories::parse).toList();
        for (var directory : directories) {
            requireCrawl(directory);
        }
        return StoredCrawl.pages(directories, Modules.SETTINGS);
    }

    static Path parse(String text) {
        try {
            if (!text.isBlank()) {
                return Path.of(text);
            }
        } catch (InvalidPathException e) {
            throw new UsageException("invalid directory name: " + e.getReason());
        }
        throw new UsageException("the directory name is empty");
    }

    static CrawlConfig settings(Path directory) throws ConfigException {
        requireCrawl(directory);
        return StoredCrawl.open(directory, Modules.SETTINGS).config();
    }

    /** Whether a directory contains jobs of a service or a worker, and is not itself a crawl. */
    private static boolean hasJobs(Path directory) {
        return Files.isDirectory(directory.resolve(DirectoryLayout.JOBS))
                && !StoredCrawl.isCrawl(directory);
    }

    private static void requireCrawl(Path directory) {
        if (hasJobs(directory)) {
            throw new UsageException(
                    "%s is the directory of a service or a fleet's worker; use one of its jobs, such as %s"
                            .formatted(
                                    directory,
                                    directory.resolve(DirectoryLayout.JOBS).resolve("1")));
        }
        if (!StoredCrawl.isCrawl(directory)) {
            throw new UsageException(
                    "there is no crawl in "
                            + directory
                            + "; start one with: "
                            + CommandHint.of("crawl", "URL", Options.OUT, directory));
        }
    }
}
