package dev.orbweaver.cli;

import dev.orbweaver.config.ConfigException;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;

/**
 * One command: what it takes is described to picocli by hand, because most of it comes from the
 * table of settings.
 */
interface Command {

    /**
     * Does it and returns the exit code. What goes wrong is put into words by {@link
     * ErrorReporter}.
     */
    int execute(ParseResult arguments) throws ConfigException, IOException, InterruptedException;

    /** A specification for this command, with help. */
    default CommandSpec describe(String name, String... description) {
        var spec = CommandSpec.wrapWithoutInspection(this).name(name);
        spec.mixinStandardHelpOptions(false);
        spec.addOption(Options.help());
        spec.usageMessage().description(description).sortOptions(false).abbreviateSynopsis(true);
        return spec;
    }
}
