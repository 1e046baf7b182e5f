package dev.orbweaver.cli;

import dev.orbweaver.config.ConfigException;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;

/** A command. Its picocli spec is built in code, because most options come from the settings. */
interface Command {

    /** Runs the command and returns the exit code; {@link ErrorReporter} reports exceptions. */
    int execute(ParseResult arguments) throws ConfigException, IOException, InterruptedException;

    default CommandSpec describe(String name, String... description) {
        var spec = CommandSpec.wrapWithoutInspection(this).name(name);
        spec.addOption(Options.help());
        spec.usageMessage().description(description).abbreviateSynopsis(true);
        var _ = new OptionGroups(spec);
        return spec;
    }
}
