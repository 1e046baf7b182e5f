package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.sinks.backup.Backup;
import dev.orbweaver.sinks.backup.BackupCatalog;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** {@code orbweaver backup DIR TO}: makes a backup of a crawl, running or not, or lists backups. */
record BackupCommand(Terminal terminal) implements Command {

    private static final String KEEP = "--keep";
    private static final String LIST = "--list";
    private static final int KEEP_MAX = 1_000_000;
    private static final long SECOND = 1_000_000_000;

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new BackupCommand(terminal)
                        .describe(
                                "backup",
                                "Make a backup of a crawl, which may be running.",
                                "Copies only what is new since the last backup in TO. DIR can"
                                        + " also be the directory of a service. 'restore TO DIR'"
                                        + " restores it.");
        spec.addPositional(
                Options.parameters(
                        0,
                        "1..2",
                        "DIR TO",
                        "directory of the crawl, then the directory or s3://BUCKET/PREFIX of the"
                                + " backups; with --list, only TO"));
        spec.addOption(
                Options.text(
                        KEEP,
                        "N",
                        "keep the newest N backups and delete older ones (default: keep all)"));
        spec.addOption(Options.toggle(LIST, "list the finished backups in TO"));
        spec.addOption(BackupTarget.endpoint());
        spec.addOption(Options.quiet());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws IOException {
        var names = arguments.matchedPositionalValue(0, List.<String>of());
        var list = arguments.hasMatchedOption(LIST);
        if (names.size() != (list ? 1 : 2)) {
            throw new UsageException(
                    list
                            ? "expected one place of backups: orbweaver backup --list TO"
                            : "expected a crawl and the place of its backups: orbweaver backup DIR"
                                    + " TO");
        }
        return list ? list(arguments, names.getFirst()) : make(arguments, names);
    }

    private int make(ParseResult arguments, List<String> names) throws IOException {
        var directory = Directories.parse(names.getFirst()).toAbsolutePath().normalize();
        var to = names.getLast();
        requireCrawl(directory);
        if (!BackupTarget.isBucket(to)) {
            requireOutside(directory, Directories.parse(to));
        }
        var keep = keep(arguments);
        var copied = new AtomicLong();
        var quiet = arguments.hasMatchedOption(Options.QUIET);
        try (var store = BackupTarget.open(arguments, to, copied)) {
            var report =
                    Backup.run(
                            directory,
                            store,
                            keep,
                            Instant.now(),
                            new ProgressPrinter(terminal, quiet, copied));
            if (!quiet) {
                terminal.print(
                        "backup %s: %s files, %s, of which %s copied%s"
                                .formatted(
                                        report.id(),
                                        Numbers.count(report.files()),
                                        Numbers.bytes(report.bytes()),
                                        Numbers.bytes(copied.get()),
                                        report.removed() == 0
                                                ? ""
                                                : "; older backups deleted: " + report.removed()));
            }
        }
        return ExitCode.COMPLETE.code();
    }

    private static void requireCrawl(Path directory) {
        if (!StoredCrawl.isCrawl(directory)
                && !Files.isDirectory(directory.resolve(DirectoryLayout.JOBS))) {
            throw new UsageException(
                    "there is no crawl in %s; expected the directory of a crawl or a service"
                            .formatted(directory));
        }
    }

    private static void requireOutside(Path directory, Path to) throws IOException {
        if (real(to).startsWith(directory.toRealPath())) {
            throw new UsageException(
                    "%s is in the directory of the crawl; choose a place outside of %s"
                            .formatted(to, directory));
        }
    }

    /** Resolves links in the part of a path that exists. */
    private static Path real(Path path) throws IOException {
        var absolute = path.toAbsolutePath().normalize();
        for (var existing = absolute; existing != null; existing = existing.getParent()) {
            if (Files.exists(existing)) {
                return existing.toRealPath().resolve(existing.relativize(absolute)).normalize();
            }
        }
        return absolute;
    }

    private static int keep(ParseResult arguments) {
        if (!arguments.hasMatchedOption(KEEP)) {
            return Integer.MAX_VALUE;
        }
        var text = arguments.matchedOptionValue(KEEP, "");
        if (!text.matches("[1-9]\\d{0,6}") || Integer.parseInt(text) > KEEP_MAX) {
            throw new UsageException(
                    "%s: expected a number from 1 to %s, not '%s'"
                            .formatted(KEEP, Numbers.count(KEEP_MAX), text));
        }
        return Integer.parseInt(text);
    }

    private int list(ParseResult arguments, String to) throws IOException {
        try (var store = BackupTarget.open(arguments, to, new AtomicLong())) {
            var catalog = BackupCatalog.read(store);
            var rows = new ArrayList<List<String>>();
            for (var id : catalog.ids()) {
                var backup = catalog.find(id).orElseThrow();
                rows.add(
                        List.of(
                                id,
                                BackupCatalog.time(id).toString(),
                                Numbers.count(backup.files().size()),
                                Numbers.bytes(backup.bytes())));
            }
            if (rows.isEmpty()) {
                terminal.print("no finished backup in " + store);
            } else {
                rows.addFirst(List.of("backup", "made at", "files", "size"));
                rows.forEach(
                        row -> terminal.print("%-15s  %-20s  %8s  %10s".formatted(row.toArray())));
            }
        }
        return ExitCode.COMPLETE.code();
    }

    private static final class ProgressPrinter implements Backup.Progress {

        private final Terminal terminal;
        private final boolean quiet;
        private final AtomicLong copied;
        private long lastShownNanos = System.nanoTime();
        private long total;
        private long done;

        ProgressPrinter(Terminal terminal, boolean quiet, AtomicLong copied) {
            this.terminal = terminal;
            this.quiet = quiet;
            this.copied = copied;
        }

        @Override
        public void total(long bytes) {
            total = bytes;
        }

        @Override
        public void done(long bytes) {
            done += bytes;
            var now = System.nanoTime();
            if (!quiet && now - lastShownNanos >= (terminal.interactive() ? SECOND : 10 * SECOND)) {
                lastShownNanos = now;
                terminal.printError(
                        "backup: %s of %s, %d %%, %s copied"
                                .formatted(
                                        Numbers.bytes(done),
                                        Numbers.bytes(total),
                                        Math.min(100, done * 100 / Math.max(1, total)),
                                        Numbers.bytes(copied.get())));
            }
        }
    }
}
