package dev.orbweaver.cli;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.Verification;
import dev.orbweaver.cli.Failure.UsageException;
import dev.orbweaver.disk.Findings;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@code orbweaver verify DIR}: checks every file of a crawl for damage. */
final class VerifyCommand implements Command {

    private static final int LINES_MAX = 1_000;
    private static final long NANOS = 1_000_000_000;
    private static final double MEGABYTE = 1e6;

    private final Terminal terminal;

    private VerifyCommand(Terminal terminal) {
        this.terminal = terminal;
    }

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
        spec.addPositional(Options.folder());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws IOException {
        var folder = Folders.given(arguments);
        if (!CrawlDirectory.isCrawl(folder)
                && !Files.isDirectory(folder.resolve("jobs"))
                && !Files.isDirectory(folder.resolve("frontier"))) {
            throw new UsageException(
                    "there is no crawl in %s; name the directory of a crawl, a job, a service or a worker"
                            .formatted(folder));
        }
        var report = new Report(terminal, folder, Verification.bytes(folder, Modules.SETTINGS));
        Verification.run(folder, Modules.SETTINGS, report);
        return report.end().code();
    }

    /** Prints findings as they come. */
    private static final class Report implements Findings {

        private final Terminal terminal;
        private final Path folder;
        private final long total;
        private final long begun = System.nanoTime();
        private long shown = begun;
        private long checked;
        private long damages;

        Report(Terminal terminal, Path folder, long total) {
            this.terminal = terminal;
            this.folder = folder;
            this.total = total;
        }

        @Override
        public void damage(Path file, long offset, String what) {
            damages++;
            if (damages <= LINES_MAX) {
                var where = offset == WHOLE_FILE ? "" : ", byte " + offset;
                terminal.out().println(name(file) + where + ": " + what);
            }
        }

        @Override
        public void note(Path file, String what) {
            terminal.out().println("note: " + name(file) + ": " + what);
        }

        private String name(Path file) {
            var absolute = file.toAbsolutePath().normalize();
            var base = folder.toAbsolutePath().normalize();
            return absolute.startsWith(base) && !absolute.equals(base)
                    ? base.relativize(absolute).toString()
                    : file.toString();
        }

        @Override
        public void checked(long bytes) {
            checked += bytes;
            var now = System.nanoTime();
            if (now - shown >= (terminal.interactive() ? NANOS : 10 * NANOS)) {
                shown = now;
                var percent = Math.min(100, checked * 100 / Math.max(1, total));
                terminal.err().println("checked %s, %d %%".formatted(amount(now), percent));
            }
        }

        private String amount(long now) {
            var seconds = Math.max(1, now - begun) / (double) NANOS;
            return "%s (%.0f MB/s)".formatted(Numbers.bytes(checked), checked / MEGABYTE / seconds);
        }

        ExitCode end() {
            if (damages > LINES_MAX) {
                terminal.out().println("and " + (damages - LINES_MAX) + " more");
            }
            var amount = amount(System.nanoTime());
            terminal.out()
                    .println(
                            damages == 0
                                    ? "no damage found, " + amount + " checked"
                                    : "%d %s found, %s checked; ./orbweaver repair %s rebuilds the frontier and accepts outputs that were cut, other files must come from a copy"
                                            .formatted(
                                                    damages,
                                                    damages == 1 ? "problem" : "problems",
                                                    amount,
                                                    folder));
            return damages == 0 ? ExitCode.COMPLETE : ExitCode.DAMAGED;
        }
    }
}
