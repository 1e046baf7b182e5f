package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.fleet.FleetUrlExplainer;
import dev.orbweaver.internal.explain.UrlExplanation;
import dev.orbweaver.internal.jobs.NoSuchJobException;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** {@code orbweaver fleet why JOB URL [DIR...]}: what became of a URL of a fleet's job, and why. */
record FleetWhyCommand(Terminal terminal) implements Command {

    private static final String SELF = "visitor";

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new FleetWhyCommand(terminal)
                        .describe(
                                "why",
                                "Tell what became of a URL in a job of the fleet, and why.",
                                "Where it waits, is requested or was given up, Redis says. Where it"
                                        + " was found, what was tried and what robots.txt says"
                                        + " stands in the workers' folders: name those that can be"
                                        + " read from here.",
                                "");
        spec.addPositional(FleetOptions.job());
        spec.addPositional(Options.parameter(1, "URL", "the URL to ask about"));
        spec.addPositional(
                Options.parameters(
                        2, "0..*", "DIR", "folders of workers, as their --data names them"));
        spec.addOption(FleetOptions.redis());
        spec.addOption(FleetOptions.fleet());
        spec.addOption(FleetOptions.overflow());
        spec.addOption(Options.toggle(Options.JSON, "print one JSON object"));
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var asked = arguments.matchedPositionalValue(1, "");
        WhyCommand.print(terminal, arguments, asked, explain(arguments, asked));
        terminal.out().flush();
        return ExitCode.COMPLETE.code();
    }

    private static UrlExplanation explain(ParseResult arguments, String asked)
            throws ConfigException, IOException {
        var settings = FleetOptions.withOverflow(arguments, FleetOptions.settings(arguments, SELF));
        var directories =
                arguments.matchedPositionalValue(2, List.<String>of()).stream()
                        .map(Directories::parse)
                        .toList();
        try {
            return new FleetUrlExplainer(
                            settings, FleetOptions.job(arguments), directories, Modules.SETTINGS)
                    .explain(asked)
                    .orElseThrow(
                            () ->
                                    new UsageException(
                                            "'" + asked + "' is not an http or https URL"));
        } catch (NoSuchJobException e) {
            throw new UsageException(
                    "there is no job %d: orbweaver fleet lists them"
                            .formatted(FleetOptions.job(arguments).number()));
        } catch (UncheckedIOException e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}
