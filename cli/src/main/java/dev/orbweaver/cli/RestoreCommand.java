package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.sinks.backup.Restore;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.atomic.AtomicLong;

/** {@code orbweaver restore FROM DIR}: restores a crawl from a backup or from its S3 sink. */
record RestoreCommand(Terminal terminal) implements Command {

    private static final String AT = "--at";

    static CommandSpec spec(Terminal terminal) {
        var command = new RestoreCommand(terminal);
        var spec =
                command.describe(
                        "restore",
                        "Restore a crawl from a backup or from S3; continue it with 'resume'.");
        spec.addPositional(
                Options.parameter(
                        0,
                        "FROM",
                        "directory or s3://BUCKET/PREFIX: the TO of 'backup', or the value of the"
                                + " crawl's --s3"));
        spec.addPositional(
                Options.parameter(1, "DIR", "directory to create; it must be empty or not exist"));
        spec.addOption(
                Options.text(
                        AT,
                        "BACKUP",
                        "id of the backup, as 'backup --list FROM' prints it; '"
                                + Restore.SINK
                                + "' for the checkpoint of --s3 (default: the newest backup)"));
        spec.addOption(BackupTarget.endpoint());
        spec.addOption(Options.quiet());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws IOException {
        var from = arguments.matchedPositionalValue(0, "");
        var directory = Directories.parse(arguments.matchedPositionalValue(1, ""));
        if (!BackupTarget.isBucket(from) && !Files.isDirectory(Directories.parse(from))) {
            throw new UsageException(
                    "there is no backup in '%s'; expected a directory or s3://BUCKET/PREFIX"
                            .formatted(from));
        }
        try (var store = BackupTarget.open(arguments, from, new AtomicLong())) {
            var report = Restore.run(store, arguments.matchedOptionValue(AT, ""), directory);
            if (!arguments.hasMatchedOption(Options.QUIET)) {
                terminal.print(
                        "%s files, %s restored; to continue: %s"
                                .formatted(
                                        Numbers.count(report.files()),
                                        Numbers.bytes(report.bytes()),
                                        StoredCrawl.isCrawl(directory)
                                                ? CommandHint.of("resume", directory)
                                                : CommandHint.of("serve", "--data", directory)));
            }
        }
        return ExitCode.COMPLETE.code();
    }
}
