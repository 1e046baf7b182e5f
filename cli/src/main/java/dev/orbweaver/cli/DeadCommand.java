package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.model.FailureCause;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.util.Arrays;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** {@code orbweaver dead}: the options that its subcommands share. */
final class DeadCommand {

    private static final String CAUSE = "--cause";

    private DeadCommand() {}

    static CommandSpec spec(Terminal terminal) {
        var spec = CommandSpec.create().name("dead");
        spec.addOption(Options.help());
        var _ = new OptionGroups(spec);
        spec.usageMessage()
                .description("List or retry the URLs that failed (dead letters).")
                .commandListHeading("%nCommands:%n");
        spec.addSubcommand("list", DeadListCommand.spec(terminal));
        spec.addSubcommand("retry", DeadRetryCommand.spec(terminal));
        return spec;
    }

    static void addShared(CommandSpec spec) {
        spec.addPositional(Options.directory());
        spec.addOption(
                Options.text(CAUSE, "CAUSE", "only URLs with this cause of failure: " + causes()));
    }

    private static String causes() {
        return Arrays.stream(FailureCause.values())
                .map(FailureCause::id)
                .collect(Collectors.joining(", "));
    }

    static Predicate<DeadLetter> causeFilter(ParseResult arguments) {
        if (!arguments.hasMatchedOption(CAUSE)) {
            return _ -> true;
        }
        var word = arguments.matchedOptionValue(CAUSE, "");
        return Arrays.stream(FailureCause.values())
                .filter(cause -> cause.id().equals(word))
                .findFirst()
                .<Predicate<DeadLetter>>map(cause -> letter -> letter.cause() == cause)
                .orElseThrow(
                        () ->
                                new UsageException(
                                        "unknown cause '%s'; expected one of %s"
                                                .formatted(word, causes())));
    }
}
