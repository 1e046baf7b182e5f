package dev.orbweaver.cli;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The entry point of the command line. */
public final class Main {

    /** The minimum width that picocli accepts for help texts. */
    private static final int HELP_COLUMNS_MIN = 55;

    /** A copy of {@link ExitCode#OUTPUT}: that class cannot be loaded without file descriptors. */
    static final int OUTPUT = 4;

    private static final String HELP = "help";

    static final List<String> VERSION_OPTIONS = List.of("-V", "--version");

    /** In the order of the help. */
    private static final List<String> COMMANDS =
            List.of(
                    "crawl", "fetch", "map", "docs", "resume", "recrawl", "status", "inspect",
                    "why", "verify", "dead", "seed", "exclude", "import", "pages", "export", "diff",
                    "changes", "query", "forget", "compact", "repair", "sink", "backup", "restore",
                    "serve", "token", "worker", "fleet", "demo", HELP);

    private Main() {}

    public static void main(String[] args) {
        if (args.length == 1 && VERSION_OPTIONS.contains(args[0])) {
            // Loading the parser, and the logger that System.exit looks for, would take most of the
            // time.
            System.out.println(versionLine());
            return;
        }
        var files = OpenFileLimit.ofThisProcess();
        if (files.isTooLow()) {
            System.err.println("orbweaver: " + files.tooLowMessage());
            System.exit(OUTPUT);
        }
        System.exit(run(args));
    }

    public static int run(String... args) {
        return commandLine(Terminal.system(), args).execute(args);
    }

    /**
     * Returns the parser of a command line. If its first word is a command, no other command is
     * defined: building the options of all takes longer than most commands. Without words, all are.
     */
    static CommandLine commandLine(Terminal terminal, String... args) {
        var root = CommandSpec.create().name("orbweaver");
        new OptionGroups(root).add("Options", Options.help(), Options.version());
        root.usageMessage()
                .description("A polite web crawler that survives crashes without losing pages.")
                .commandListHeading("%nCommands:%n")
                .exitCodeListHeading("%nExit codes:%n")
                .exitCodeList(exitCodes())
                .footer("", "'orbweaver COMMAND --help' lists the options of a command.");
        root.version(versionLine());
        for (var name : names(args)) {
            root.addSubcommand(name, spec(name, terminal));
        }
        var line = new CommandLine(root);
        line.setExpandAtFiles(false);
        line.setUsageHelpWidth(Math.max(HELP_COLUMNS_MIN, terminal.columns()));
        line.setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(terminal.err(), true, StandardCharsets.UTF_8));
        line.setExecutionStrategy(Main::execute);
        line.setParameterExceptionHandler((e, _) -> usageError(e));
        return line;
    }

    private static List<String> names(String... args) {
        return args.length > 0 && !args[0].equals(HELP) && COMMANDS.contains(args[0])
                ? List.of(args[0])
                : COMMANDS;
    }

    private static CommandSpec spec(String command, Terminal terminal) {
        return switch (command) {
            case "crawl" -> CrawlCommand.spec(terminal);
            case "fetch" -> FetchCommand.spec(terminal);
            case "map" -> MapCommand.spec(terminal);
            case "docs" -> DocsCommand.spec(terminal);
            case "resume" -> ResumeCommand.spec(terminal);
            case "recrawl" -> RecrawlCommand.spec(terminal);
            case "status" -> StatusCommand.spec(terminal);
            case "inspect" -> InspectCommand.spec(terminal);
            case "why" -> WhyCommand.spec(terminal);
            case "verify" -> VerifyCommand.spec(terminal);
            case "dead" -> DeadCommand.spec(terminal);
            case "seed" -> SeedCommand.spec(terminal);
            case "exclude" -> ExcludeCommand.spec(terminal);
            case "import" -> ImportCommand.spec(terminal);
            case "pages" -> PagesCommand.spec(terminal);
            case "export" -> ExportCommand.spec(terminal);
            case "diff" -> DiffCommand.spec(terminal);
            case "changes" -> ChangesCommand.spec(terminal);
            case "query" -> QueryCommand.spec(terminal);
            case "forget" -> ForgetCommand.spec(terminal);
            case "compact" -> CompactCommand.spec(terminal);
            case "repair" -> RepairCommand.spec(terminal);
            case "sink" -> SinkCommand.spec(terminal);
            case "backup" -> BackupCommand.spec(terminal);
            case "restore" -> RestoreCommand.spec(terminal);
            case "serve" -> ServeCommand.spec(terminal);
            case "token" -> TokenCommand.spec(terminal);
            case "worker" -> WorkerCommand.spec(terminal);
            case "fleet" -> FleetCommand.spec(terminal);
            case "demo" -> DemoCommand.spec(terminal);
            case HELP -> HelpCommand.spec();
            default -> throw new IllegalArgumentException(command);
        };
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

    private static String versionLine() {
        var version = Main.class.getPackage().getImplementationVersion();
        return "orbweaver " + (version == null ? "(not packaged)" : version);
    }
}
