package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Findings;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.engine.Verification;

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
                                "Check the files of a crawl for damage.",
                                "Checks checksums, page log, WARC records with their digests and"
                                        + " the frontier; changes nothing. If the crawl is running,"
                                        + " checks what is committed. DIR can also be the directory"
                                        + " of a job, a service or a worker.");
        spec.addPositional(Options.directory());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws IOException {
        var directory = Directories.fromArgument(arguments);
        if (!StoredCrawl.isCrawl(directory)
                && !Files.isDirectory(directory.resolve(DirectoryLayout.JOBS))
                && !Files.isDirectory(directory.resolve(DirectoryLayout.FRONTIER))) {
            throw new UsageException(
                    "there is no crawl in %s; expected the directory of a crawl, a job, a service or a worker"
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

    /** Returns the checked bytes with the rate, which means nothing for less than a second. */
    static String amount(long bytes, long nanos) {
        var amount = Numbers.bytes(bytes);
        return nanos < NANOS
                ? amount
                : "%s (%.0f MB/s)".formatted(amount, bytes / MEGABYTE * NANOS / nanos);
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
        public void damage(Path file, long offset, String message) {
            damageCount++;
            if (damageCount <= LINES_MAX) {
                var position = offset == WHOLE_FILE ? "" : ", byte " + offset;
                terminal.print(name(file) + position + ": " + message);
            }
        }

        @Override
        public void note(Path file, String message) {
            terminal.print("note: " + name(file) + ": " + message);
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
            return VerifyCommand.amount(checked, now - startNanos);
        }

        ExitCode printResult() {
            if (damageCount > LINES_MAX) {
                terminal.print("and " + (damageCount - LINES_MAX) + " more");
            }
            var amount = amount(System.nanoTime());
            terminal.print(
                    damageCount == 0
                            ? "no damage found, " + amount + " checked"
                            : "%d %s found, %s checked; '%s' rebuilds the frontier and accepts truncated outputs, other files must be restored from a copy"
                                    .formatted(
                                            damageCount,
                                            damageCount == 1 ? "problem" : "problems",
                                            amount,
                                            CommandHint.of("repair", directory)));
            return damageCount == 0 ? ExitCode.COMPLETE : ExitCode.DAMAGED;
        }
    }
}
