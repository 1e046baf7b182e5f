package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.fleet.FleetUrlExplainer;
import dev.orbweaver.internal.config.Seed;
import dev.orbweaver.internal.explain.UrlExplanation;
import dev.orbweaver.internal.jobs.NoSuchJobException;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** {@code orbweaver fleet why JOB URL [DIR...]}: explains the state of a URL. */
record FleetWhyCommand(Terminal terminal) implements Command {

    private static final String SELF = "observer";

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new FleetWhyCommand(terminal)
                        .describe(
                                "why",
                                "Explain why a URL of a job was or was not fetched.",
                                "Its state is read from Redis. Where it was found, its requests and"
                                        + " robots.txt are read from the workers' directories that"
                                        + " are given as arguments.");
        spec.addPositional(FleetOptions.job());
        spec.addPositional(Options.parameter(1, "URL", "the URL to explain"));
        spec.addPositional(
                Options.parameters(2, "0..*", "DIR", "directory of a worker (its --data)"));
        spec.addOption(FleetOptions.redis());
        spec.addOption(FleetOptions.fleet());
        spec.addOption(FleetOptions.overflow());
        spec.addOption(Options.toggle(Options.JSON, "print one JSON object"));
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var url = arguments.matchedPositionalValue(1, "");
        WhyCommand.print(terminal, arguments, url, explain(arguments, url));
        terminal.out().flush();
        return ExitCode.COMPLETE.code();
    }

    private static UrlExplanation explain(ParseResult arguments, String url)
            throws ConfigException, IOException {
        var settings = FleetOptions.withOverflow(arguments, FleetOptions.settings(arguments, SELF));
        var directories =
                arguments.matchedPositionalValue(2, List.<String>of()).stream()
                        .map(Directories::parse)
                        .toList();
        try {
            return new FleetUrlExplainer(
                            settings, FleetOptions.job(arguments), directories, Modules.SETTINGS)
                    .explain(url)
                    .orElseThrow(() -> new UsageException(Seed.problem(url)));
        } catch (NoSuchJobException e) {
            throw new UsageException(
                    "no job %d; '%s' lists the jobs"
                            .formatted(
                                    FleetOptions.job(arguments).number(), CommandHint.of("fleet")));
        } catch (UncheckedIOException e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}
