package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.imports.crawls.PostgresImporter;
import dev.orbweaver.imports.crawls.PostgresNames;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** {@code orbweaver import postgres}: imports a crawl from tables of PostgreSQL. */
record ImportPostgresCommand(Terminal terminal) implements Command {

    private static final String JDBC = "--jdbc";
    private static final String TABLE = "--table";
    private static final String COLUMN = "--column";
    private static final String SCALE = "--priority-scale";

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new ImportPostgresCommand(terminal)
                        .describe(
                                "postgres",
                                "Import a crawl from tables of PostgreSQL.",
                                "Reads visited_urls(url), frontier(url, depth, priority_score) and"
                                    + " domain_metadata(domain, robots_txt_content,"
                                    + " robots_txt_expires_timestamp, is_manually_excluded,"
                                    + " last_scheduled_fetch_timestamp). Only url and domain are"
                                    + " required.");
        spec.addOption(
                Options.text(
                        JDBC,
                        "URL",
                        "database, such as jdbc:postgresql://localhost/crawler?user=me; its"
                                + " password is password=env:NAME in the URL, or the variable"
                                + " PGPASSWORD"));
        spec.addOption(
                Options.list(
                        TABLE,
                        "NAME=TABLE",
                        "table with another name: visited, frontier or hosts, such as"
                                + " visited=old.pages; repeatable"));
        spec.addOption(
                Options.list(
                        COLUMN,
                        "NAME=COLUMN",
                        "column with another name, such as visited.url=address; repeatable"));
        spec.addOption(
                Options.text(
                        SCALE,
                        "FACTOR",
                        "points of priority, from -100 to 100, for one unit of priority_score; 100"
                                + " for scores from 0 to 1, negative if low scores come first, 0 to"
                                + " ignore them (default: 1)"));
        ImportCommand.addShared(spec);
        return spec;
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        if (!arguments.hasMatchedOption(JDBC)) {
            throw new UsageException(
                    "import postgres needs --jdbc URL, such as"
                            + " jdbc:postgresql://localhost/crawler?user=me");
        }
        return new ImportCommand(terminal, arguments)
                .run(
                        _ ->
                                PostgresImporter.open(
                                        arguments.matchedOptionValue(JDBC, ""),
                                        PostgresNames.parse(
                                                arguments.matchedOptionValue(TABLE, List.of()),
                                                arguments.matchedOptionValue(COLUMN, List.of())),
                                        scale(arguments.matchedOptionValue(SCALE, "1")),
                                        name -> Optional.ofNullable(System.getenv(name))));
    }

    private static double scale(String text) {
        try {
            var scale = Double.parseDouble(text);
            if (Double.isFinite(scale)) {
                return scale;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw new UsageException(
                "'%s' is not valid for %s; expected a number such as 100".formatted(text, SCALE));
    }
}
