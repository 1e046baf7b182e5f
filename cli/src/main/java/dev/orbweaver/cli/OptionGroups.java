package dev.orbweaver.cli;

import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The help for a command's arguments and options, with options in groups under headings.
 *
 * <p>picocli would print one list and break lines within URLs and patterns; this breaks at spaces
 * only. Options that were added to the command directly are listed in the first group.
 */
final class OptionGroups {

    private static final int TEXT_COLUMN = 28;
    private static final String OPTIONS = "Options";

    private final CommandSpec spec;
    private final Map<String, List<OptionSpec>> groups = new LinkedHashMap<>();

    OptionGroups(CommandSpec spec) {
        this.spec = spec;
        var sections = spec.usageMessage().sectionMap();
        sections.put(UsageMessageSpec.SECTION_KEY_PARAMETER_LIST, this::arguments);
        sections.put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, this::options);
    }

    void add(String heading, OptionSpec... options) {
        add(heading, List.of(options));
    }

    void add(String heading, List<OptionSpec> options) {
        groups.computeIfAbsent(heading, _ -> new ArrayList<>()).addAll(options);
        options.forEach(spec::addOption);
    }

    void footer(String... lines) {
        spec.usageMessage().footerHeading("%n").footer(lines);
    }

    private String arguments(Help help) {
        var text = new StringBuilder();
        for (var argument : spec.positionalParameters()) {
            entry(text, "  " + label(argument), argument, help);
        }
        return text.isEmpty() ? "" : "%nArguments:%n".formatted() + text;
    }

    private String options(Help help) {
        var text = new StringBuilder();
        var ungrouped = new ArrayList<>(spec.options());
        groups.values().forEach(ungrouped::removeAll);
        ungrouped.sort(Comparator.comparing(OptionSpec::usageHelp)); // --help is last.
        if (groups.isEmpty()) {
            groups.put(OPTIONS, new ArrayList<>());
        }
        groups.forEach(
                (heading, options) -> {
                    text.append("%n%s:%n".formatted(heading));
                    options.forEach(option -> entry(text, names(option), option, help));
                    ungrouped.forEach(option -> entry(text, names(option), option, help));
                    ungrouped.clear();
                });
        return text.toString();
    }

    private static String label(PositionalParamSpec argument) {
        return argument.paramLabel() + (argument.arity().isVariable() ? "..." : "");
    }

    private static String names(OptionSpec option) {
        var label = option.arity().max() == 0 ? "" : "=" + option.paramLabel();
        var indent = option.names().length == 1 ? "      " : "  ";
        return indent + String.join(", ", option.names()) + label;
    }

    private static void entry(StringBuilder text, String left, ArgSpec argument, Help help) {
        var width = help.commandSpec().usageMessage().width() - TEXT_COLUMN;
        var column = left;
        for (var paragraph : argument.description()) {
            for (var line : wrap(paragraph, width)) {
                if (column.length() > TEXT_COLUMN - 2) {
                    text.append(column).append(System.lineSeparator());
                    column = "";
                }
                var space = " ".repeat(TEXT_COLUMN - column.length());
                text.append(column).append(space).append(line).append(System.lineSeparator());
                column = "";
            }
        }
    }

    private static List<String> wrap(String text, int width) {
        var lines = new ArrayList<String>();
        var line = new StringBuilder();
        for (var word : text.split("(?<!default:) ", -1)) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
