package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.sinks.s3.Restore;
import dev.orbweaver.sinks.s3.S3Location;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.net.URI;
import java.util.Optional;

/** {@code orbweaver restore s3://BUCKET/PREFIX DIR}: restores a crawl from a bucket. */
record RestoreCommand(Terminal terminal) implements Command {

    private static final String ENDPOINT = "--s3-endpoint";

    static CommandSpec spec(Terminal terminal) {
        var command = new RestoreCommand(terminal);
        var spec =
                command.describe("restore", "Restore a crawl from S3; continue it with 'resume'.");
        spec.addPositional(
                Options.parameter(0, "S3", "s3://BUCKET/PREFIX, the value of the crawl's --s3"));
        spec.addPositional(
                Options.parameter(1, "DIR", "directory to create; it must be empty or not exist"));
        spec.addOption(
                Options.text(
                        ENDPOINT, "URL", "URL of an S3-compatible server (default: Amazon S3)"));
        spec.addOption(Options.quiet());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var text = arguments.matchedPositionalValue(0, "");
        var directory = Directories.parse(arguments.matchedPositionalValue(1, ""));
        var location =
                S3Location.parse(text, endpoint(arguments))
                        .orElseThrow(
                                () ->
                                        new UsageException(
                                                "'" + text + "' " + S3Location.errorMessage(text)));
        var report = Restore.run(location, directory, StoredCrawl.SETTINGS_FILE);
        if (!arguments.hasMatchedOption(Options.QUIET)) {
            terminal.print(
                    "%s files, %s restored; to continue: ./orbweaver resume %s"
                            .formatted(
                                    Numbers.count(report.files()),
                                    Numbers.bytes(report.bytes()),
                                    directory));
        }
        return ExitCode.COMPLETE.code();
    }

    private static Optional<URI> endpoint(ParseResult arguments) {
        var text = arguments.matchedOptionValue(ENDPOINT, "");
        if (text.isEmpty()) {
            return Optional.empty();
        }
        var endpoint = S3Location.endpoint(text);
        if (endpoint.isEmpty()) {
            throw new UsageException("'" + text + "' is not an http or https URL");
        }
        return endpoint;
    }
}
