package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.engine.StoredCrawl;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Path;

/** {@code orbweaver sink DIR}: brings MongoDB and S3 up to date with a crawl. */
record SinkCommand(Terminal terminal) implements Command {

    static CommandSpec spec(Terminal terminal) {
        var command = new SinkCommand(terminal);
        var spec =
                command.describe(
                        "sink",
                        "Bring MongoDB and S3 up to date with a crawl that is not running.",
                        "Without options, uses the sinks of the crawl.");
        spec.addPositional(Options.directory());
        ResumeCommand.addSinks(spec);
        spec.addOption(Options.set());
        spec.addOption(Options.quiet());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        var directory = Directories.fromArgument(arguments);
        var config = CrawlConfig.read(ResumeCommand.values(arguments, directory, terminal));
        try (var _ = Logging.toDirectory(directory)) {
            return catchUp(config, directory, arguments.hasMatchedOption(Options.QUIET));
        }
    }

    private int catchUp(CrawlConfig config, Path directory, boolean quiet)
            throws IOException, InterruptedException {
        var complete = true;
        var sinks = new StoredCrawl(directory, config).catchUp();
        if (sinks.isEmpty()) {
            throw new UsageException(
                    "the crawl in " + directory + " has no sink; add one with --mongodb or --s3");
        }
        for (var sink : sinks) {
            if (!sink.isComplete()) {
                complete = false;
                terminal.warn(SinkText.describe(sink, "run this command again"));
            } else if (!quiet) {
                terminal.print(SinkText.describe(sink, "run this command again"));
            }
        }
        return (complete ? ExitCode.COMPLETE : ExitCode.OUTPUT).code();
    }
}
