package dev.orbweaver.cli;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.sinks.s3.Restore;
import dev.orbweaver.sinks.s3.S3Location;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.net.URI;
import java.util.Optional;

/** {@code orbweaver restore s3://BUCKET/PREFIX DIR}: brings a crawl back from a bucket. */
record RestoreCommand(Terminal terminal) implements Command {

    private static final String ENDPOINT = "--s3-endpoint";

    static CommandSpec spec(Terminal terminal) {
        var command = new RestoreCommand(terminal);
        var spec =
                command.describe(
                        "restore",
                        "Bring a crawl back from S3; 'resume' then goes on with it.",
                        "");
        spec.addPositional(
                Options.parameter(0, "S3", "s3://BUCKET/PREFIX as it was given to the crawl"));
        spec.addPositional(Options.parameter(1, "DIR", "a folder that is empty or not there"));
        spec.addOption(Options.text(ENDPOINT, "URL", "of a server other than Amazon's"));
        spec.addOption(Options.quiet());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var text = arguments.matchedPositionalValue(0, "");
        var directory = Directories.parse(arguments.matchedPositionalValue(1, ""));
        var place =
                S3Location.parse(text, endpoint(arguments))
                        .orElseThrow(
                                () ->
                                        new UsageException(
                                                "'" + text + "' " + S3Location.errorMessage(text)));
        var report = Restore.run(place, directory, CrawlDirectory.SETTINGS_FILE);
        if (!arguments.hasMatchedOption(Options.QUIET)) {
            terminal.print(
                    "%s files, %s restored; to go on: ./orbweaver resume %s"
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
