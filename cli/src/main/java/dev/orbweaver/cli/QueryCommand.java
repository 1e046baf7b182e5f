package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.export.QueryException;
import dev.orbweaver.export.SqlQuery;
import dev.orbweaver.export.SqlQuery.OutputFormat;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.util.List;

/** {@code orbweaver query DIR "select ..."}: runs SQL over a crawl. */
record QueryCommand(Terminal terminal) implements Command {

    private static final String FORM = "--output";

    static CommandSpec spec(Terminal terminal) {
        var command = new QueryCommand(terminal);
        var spec =
                command.describe(
                        "query",
                        "Query a crawl with SQL (DuckDB).",
                        "The crawl may be running. Tables, read-only:",
                        "  pages  url, host, path, status, time, ms, depth, type, title, links,",
                        "         bytes and more",
                        "  urls   the same columns for every processed URL, and its kind",
                        "  links  source, target, source_host, target_host, kind, nofollow",
                        "  hosts  host, pages, urls, errors, bytes, in_degree, out_degree,",
                        "         links_in, links_out");
        spec.addPositional(Options.directory());
        spec.addPositional(
                Options.parameter(
                        1,
                        "SQL",
                        "a SELECT statement, such as 'select url, status from urls limit 10'"));
        spec.addOption(Options.text(FORM, "table|csv|json", "output format (default: table)"));
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var id = arguments.matchedOptionValue(FORM, "table");
        var outputFormat =
                OutputFormat.byId(id)
                        .orElseThrow(
                                () ->
                                        new UsageException(
                                                "--output: expected table, csv or json, not '"
                                                        + id
                                                        + "'"));
        var pages = Directories.pages(List.of(arguments.matchedPositionalValue(0, "")));
        try {
            SqlQuery.run(
                    pages, arguments.matchedPositionalValue(1, ""), outputFormat, terminal.data());
        } catch (QueryException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
        return ExitCode.COMPLETE.code();
    }
}
