package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.util.List;

/** {@code orbweaver help [COMMAND]}: prints the same as {@code --help}. */
record HelpCommand() implements Command {

    static CommandSpec spec() {
        var spec = new HelpCommand().describe("help", "Show the help of a command.");
        spec.addPositional(
                Options.parameters(0, "0..*", "COMMAND", "a command, such as crawl or dead list"));
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) {
        var line = arguments.commandSpec().root().commandLine();
        for (var name : arguments.matchedPositionalValue(0, List.<String>of())) {
            var below = line.getSubcommands().get(name);
            if (below == null) {
                throw new UsageException(
                        "'%s' has no command '%s'; '%s --help' lists its commands"
                                .formatted(
                                        line.getCommandSpec().qualifiedName(),
                                        name,
                                        line.getCommandSpec().qualifiedName()));
            }
            line = below;
        }
        line.usage(line.getOut());
        return ExitCode.COMPLETE.code();
    }
}
