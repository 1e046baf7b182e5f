package dev.orbweaver.cli;

import dev.orbweaver.config.ConfigException;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;

/** A command, described to picocli by hand because most options come from the table of settings. */
interface Command {

    /** Runs the command and returns the exit code; {@link ErrorReporter} reports exceptions. */
    int execute(ParseResult arguments) throws ConfigException, IOException, InterruptedException;

    default CommandSpec describe(String name, String... description) {
        var spec = CommandSpec.wrapWithoutInspection(this).name(name);
        spec.mixinStandardHelpOptions(false);
        spec.addOption(Options.help());
        spec.usageMessage().description(description).sortOptions(false).abbreviateSynopsis(true);
        return spec;
    }
}
