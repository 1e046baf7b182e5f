package dev.orbweaver.cli;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The entry point of the command line. */
public final class Main {

    /** The minimum width that picocli accepts for help texts. */
    private static final int HELP_COLUMNS_MIN = 55;

    /** A copy of {@link ExitCode#OUTPUT}: that class cannot be loaded without file descriptors. */
    static final int OUTPUT = 4;

    private Main() {}

    public static void main(String[] args) {
        var files = OpenFileLimit.ofThisProcess();
        if (files.isTooLow()) {
            System.err.println("orbweaver: " + files.tooLowMessage());
            System.exit(OUTPUT);
        }
        System.exit(run(args));
    }

    public static int run(String... args) {
        var line = commandLine(Terminal.system());
        return line.execute(args);
    }

    static CommandLine commandLine(Terminal terminal) {
        var root = CommandSpec.create().name("orbweaver");
        new OptionGroups(root).add("Options", Options.help(), Options.version());
        root.usageMessage()
                .description("A polite web crawler that survives crashes without losing pages.")
                .commandListHeading("%nCommands:%n")
                .exitCodeListHeading("%nExit codes:%n")
                .exitCodeList(exitCodes())
                .footer("", "'orbweaver COMMAND --help' lists the options of a command.");
        root.version("orbweaver " + version());
        root.addSubcommand("crawl", CrawlCommand.spec(terminal));
        root.addSubcommand("fetch", FetchCommand.spec(terminal));
        root.addSubcommand("map", MapCommand.spec(terminal));
        root.addSubcommand("docs", DocsCommand.spec(terminal));
        root.addSubcommand("resume", ResumeCommand.spec(terminal));
        root.addSubcommand("recrawl", RecrawlCommand.spec(terminal));
        root.addSubcommand("status", StatusCommand.spec(terminal));
        root.addSubcommand("inspect", InspectCommand.spec(terminal));
        root.addSubcommand("why", WhyCommand.spec(terminal));
        root.addSubcommand("verify", VerifyCommand.spec(terminal));
        root.addSubcommand("dead", DeadCommand.spec(terminal));
        root.addSubcommand("seed", SeedCommand.spec(terminal));
        root.addSubcommand("exclude", ExcludeCommand.spec(terminal));
        root.addSubcommand("import", ImportCommand.spec(terminal));
        root.addSubcommand("pages", PagesCommand.spec(terminal));
        root.addSubcommand("export", ExportCommand.spec(terminal));
        root.addSubcommand("diff", DiffCommand.spec(terminal));
        root.addSubcommand("changes", ChangesCommand.spec(terminal));
        root.addSubcommand("query", QueryCommand.spec(terminal));
        root.addSubcommand("forget", ForgetCommand.spec(terminal));
        root.addSubcommand("compact", CompactCommand.spec(terminal));
        root.addSubcommand("repair", RepairCommand.spec(terminal));
        root.addSubcommand("sink", SinkCommand.spec(terminal));
        root.addSubcommand("backup", BackupCommand.spec(terminal));
        root.addSubcommand("restore", RestoreCommand.spec(terminal));
        root.addSubcommand("serve", ServeCommand.spec(terminal));
        root.addSubcommand("worker", WorkerCommand.spec(terminal));
        root.addSubcommand("fleet", FleetCommand.spec(terminal));
        root.addSubcommand("demo", DemoCommand.spec(terminal));
        root.addSubcommand("help", HelpCommand.spec());
        var line = new CommandLine(root);
        line.setExpandAtFiles(false);
        line.setUsageHelpWidth(Math.max(HELP_COLUMNS_MIN, terminal.columns()));
        line.setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(terminal.err(), true, StandardCharsets.UTF_8));
        line.setExecutionStrategy(Main::execute);
        line.setParameterExceptionHandler((e, _) -> usageError(e));
        return line;
    }

    private static int execute(CommandLine.ParseResult result) {
        var help = CommandLine.executeHelpRequest(result);
        if (help != null) {
            return help;
        }
        var subcommand = result;
        while (subcommand.hasSubcommand()) {
            subcommand = subcommand.subcommand();
        }
        if (!(subcommand.commandSpec().userObject() instanceof Command command)) {
            subcommand.commandSpec().commandLine().usage(System.out);
            return ExitCode.USAGE.code();
        }
        try {
            return command.execute(subcommand);
        } catch (Exception e) {
            return ErrorReporter.report(
                    e,
                    result.commandSpec().commandLine().getErr(),
                    Options.outputOption(subcommand.commandSpec()));
        } catch (NoClassDefFoundError e) { // Happens when no more files can be opened.
            result.commandSpec()
                    .commandLine()
                    .getErr()
                    .println(
                            "orbweaver: could not load class %s: a file of the program is missing, or too many files are open (see ulimit -n)"
                                    .formatted(e.getMessage()));
            return ExitCode.INTERNAL.code();
        }
    }

    private static int usageError(CommandLine.ParameterException e) {
        var command = e.getCommandLine();
        var words =
                Stream.of(command.getCommandSpec().qualifiedName().split(" ", -1))
                        .skip(1)
                        .toArray();
        command.getErr().println("orbweaver: " + message(e));
        command.getErr().println("Try: " + CommandHint.of(words) + " --help");
        return ExitCode.USAGE.code();
    }

    private static String message(CommandLine.ParameterException e) {
        if (!(e instanceof CommandLine.UnmatchedArgumentException unmatched)
                || unmatched.getUnmatched().isEmpty()) {
            return String.valueOf(e.getMessage());
        }
        var command = e.getCommandLine().getCommandSpec();
        var given = unmatched.getUnmatched().getFirst();
        if (unmatched.isUnknownOption()) {
            return unknown("option", given, Suggestions.forOption(given, command));
        }
        return command.subcommands().isEmpty()
                ? "unexpected argument '" + given + "'"
                : unknown("command", given, Suggestions.forCommand(given, command));
    }

    private static String unknown(String kind, String given, Optional<String> advice) {
        return "unknown %s '%s'%s".formatted(kind, given, advice.map(it -> "; " + it).orElse(""));
    }

    private static Map<String, String> exitCodes() {
        var codes = new LinkedHashMap<String, String>();
        for (var code : ExitCode.values()) {
            codes.put(Integer.toString(code.code()), code.meaning());
        }
        return codes;
    }

    private static String version() {
        var version = Main.class.getPackage().getImplementationVersion();
        return version == null ? "(not packaged)" : version;
    }
}
