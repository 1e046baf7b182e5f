package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.server.Role;
import dev.orbweaver.server.TokenFile;
import dev.orbweaver.server.TokenFile.Quotas;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** {@code orbweaver token}: creates, lists and revokes the tokens of a service. */
record TokenCommand(Terminal terminal, Action action) implements Command {

    private static final String FILE = "--token-file";
    private static final String FILE_DEFAULT = "tokens.txt";
    private static final String ROLE = "--role";
    private static final String QUOTA = "--quota";

    /** What a subcommand does. */
    enum Action {
        CREATE,
        LIST,
        REVOKE
    }

    static CommandSpec spec(Terminal terminal) {
        var spec = CommandSpec.create().name("token");
        spec.addOption(Options.help());
        var _ = new OptionGroups(spec);
        spec.usageMessage()
                .description("Create, list or revoke access tokens of 'serve'.")
                .commandListHeading("%nCommands:%n");
        spec.addSubcommand("create", create(terminal));
        spec.addSubcommand("list", list(terminal));
        spec.addSubcommand("revoke", revoke(terminal));
        return spec;
    }

    private static CommandSpec create(Terminal terminal) {
        var spec =
                new TokenCommand(terminal, Action.CREATE)
                        .describe(
                                "create",
                                "Create a token and print it once.",
                                "The file has only a hash of it. A running service accepts the"
                                        + " token within about a second.");
        spec.addPositional(Options.parameter(0, "NAME", "who will use the token"));
        spec.addOption(
                Options.text(
                        ROLE,
                        "ROLE",
                        "one of:",
                        "viewer      reads jobs, pages, exports and metrics (default)",
                        "operator    submits, controls and deletes jobs too",
                        "admin       reads the audit log and the list of tokens too"));
        spec.addOption(
                Options.list(
                        QUOTA,
                        "NAME=N",
                        "limit of the token: jobs (that have not ended), pages-per-day (in UTC) or"
                                + " concurrency (requests of all its jobs together); repeatable"));
        spec.addOption(file());
        return spec;
    }

    private static CommandSpec list(Terminal terminal) {
        var spec =
                new TokenCommand(terminal, Action.LIST)
                        .describe("list", "List the tokens of a file, with roles and quotas.", "");
        spec.addOption(file());
        return spec;
    }

    private static CommandSpec revoke(Terminal terminal) {
        var spec =
                new TokenCommand(terminal, Action.REVOKE)
                        .describe(
                                "revoke",
                                "Remove a token.",
                                "A running service rejects it, and the sessions opened with it,"
                                        + " within about a second.");
        spec.addPositional(Options.parameter(0, "NAME", "whose token"));
        spec.addOption(file());
        return spec;
    }

    private static OptionSpec file() {
        return Options.text(
                FILE, "FILE", "the file of tokens, as for 'serve' (default: " + FILE_DEFAULT + ")");
    }

    @Override
    public int execute(ParseResult arguments) throws IOException {
        var file = Path.of(arguments.matchedOptionValue(FILE, FILE_DEFAULT));
        switch (action) {
            case CREATE -> {
                var name = arguments.matchedPositionalValue(0, "");
                terminal.print(TokenFile.create(file, name, role(arguments), quotas(arguments)));
            }
            case LIST -> list(file);
            case REVOKE -> {
                var name = arguments.matchedPositionalValue(0, "");
                TokenFile.revoke(file, name);
                terminal.print("revoked the token of " + name);
            }
        }
        return ExitCode.COMPLETE.code();
    }

    private void list(Path file) throws IOException {
        var tokens = TokenFile.list(file);
        if (tokens.isEmpty()) {
            terminal.print("no tokens in " + file);
        }
        for (var token : tokens) {
            terminal.print(
                    "%-20s  %-8s%s"
                            .formatted(token.name(), token.role().id(), token.quotas().text())
                            .stripTrailing());
        }
    }

    private static Role role(ParseResult arguments) {
        var id = arguments.matchedOptionValue(ROLE, Role.VIEWER.id());
        return Role.byId(id)
                .orElseThrow(
                        () ->
                                new UsageException(
                                        "%s: expected viewer, operator or admin, not '%s'"
                                                .formatted(ROLE, id)));
    }

    private static Quotas quotas(ParseResult arguments) {
        var quotas = Quotas.NONE;
        for (var pair : arguments.matchedOptionValue(QUOTA, List.<String>of())) {
            var equals = pair.indexOf('=');
            var name = equals < 0 ? pair : pair.substring(0, equals).toLowerCase(Locale.ROOT);
            var value = equals < 0 ? "" : pair.substring(equals + 1);
            quotas =
                    TokenFile.withQuota(quotas, name, value)
                            .orElseThrow(
                                    () ->
                                            new UsageException(
                                                    "%s: expected jobs=N, pages-per-day=N or concurrency=N, not '%s'"
                                                            .formatted(QUOTA, pair)));
        }
        return quotas;
    }
}
