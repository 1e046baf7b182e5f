package dev.orbweaver.cli;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.Verification;
import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Findings;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@code orbweaver verify DIR}: checks every file of a crawl for damage. */
record VerifyCommand(Terminal terminal) implements Command {

    private static final int LINES_MAX = 1_000;
    private static final long NANOS = 1_000_000_000;
    private static final double MEGABYTE = 1e6;

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new VerifyCommand(terminal)
                        .describe(
                                "verify",
                                "Check every file of a crawl for damage.",
                                "Checksums, page log lines, WARC records with their digests, and"
                                        + " the frontier are read; nothing is changed. The crawl"
                                        + " may be running: then what is committed is checked."
                                        + " DIR may also be that of a job, a service or a worker.",
                                "");
        spec.addPositional(Options.directory());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws IOException {
        var directory = Directories.fromArgument(arguments);
        if (!CrawlDirectory.isCrawl(directory)
                && !Files.isDirectory(directory.resolve(DirectoryLayout.JOBS))
                && !Files.isDirectory(directory.resolve(DirectoryLayout.FRONTIER))) {
            throw new UsageException(
                    "there is no crawl in %s; name the directory of a crawl, a job, a service or a worker"
                            .formatted(directory));
        }
        var findingsPrinter =
                new FindingsPrinter(
                        terminal,
                        directory,
                        Verification.bytesToCheck(directory, Modules.SETTINGS));
        Verification.run(directory, Modules.SETTINGS, findingsPrinter);
        return findingsPrinter.printResult().code();
    }

    private static final class FindingsPrinter implements Findings {

        private final Terminal terminal;
        private final Path directory;
        private final long total;
        private final long startNanos = System.nanoTime();
        private long lastShownNanos = startNanos;
        private long checked;
        private long damageCount;

        FindingsPrinter(Terminal terminal, Path directory, long total) {
            this.terminal = terminal;
            this.directory = directory;
            this.total = total;
        }

        @Override
        public void damage(Path file, long offset, String what) {
            damageCount++;
            if (damageCount <= LINES_MAX) {
                var where = offset == WHOLE_FILE ? "" : ", byte " + offset;
                terminal.print(name(file) + where + ": " + what);
            }
        }

        @Override
        public void note(Path file, String what) {
            terminal.print("note: " + name(file) + ": " + what);
        }

        private String name(Path file) {
            var absolute = file.toAbsolutePath().normalize();
            var base = directory.toAbsolutePath().normalize();
            return absolute.startsWith(base) && !absolute.equals(base)
                    ? base.relativize(absolute).toString()
                    : file.toString();
        }

        @Override
        public void checked(long bytes) {
            checked += bytes;
            var now = System.nanoTime();
            if (now - lastShownNanos >= (terminal.interactive() ? NANOS : 10 * NANOS)) {
                lastShownNanos = now;
                var percent = Math.min(100, checked * 100 / Math.max(1, total));
                terminal.printError("checked %s, %d %%".formatted(amount(now), percent));
            }
        }

        private String amount(long now) {
            var seconds = Math.max(1, now - startNanos) / (double) NANOS;
            return "%s (%.0f MB/s)".formatted(Numbers.bytes(checked), checked / MEGABYTE / seconds);
        }

        ExitCode printResult() {
            if (damageCount > LINES_MAX) {
                terminal.print("and " + (damageCount - LINES_MAX) + " more");
            }
            var amount = amount(System.nanoTime());
            terminal.print(
                    damageCount == 0
                            ? "no damage found, " + amount + " checked"
                            : "%d %s found, %s checked; ./orbweaver repair %s rebuilds the frontier and accepts outputs that were cut, other files must come from a copy"
                                    .formatted(
                                            damageCount,
                                            damageCount == 1 ? "problem" : "problems",
                                            amount,
                                            directory));
            return damageCount == 0 ? ExitCode.COMPLETE : ExitCode.DAMAGED;
        }
    }
}
