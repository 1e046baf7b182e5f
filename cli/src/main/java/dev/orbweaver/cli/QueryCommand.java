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

/** {@code orbweaver query DIR "select ..."}: SQL over a crawl. */
record QueryCommand(Terminal terminal) implements Command {

    private static final String FORM = "--output";

    static CommandSpec spec(Terminal terminal) {
        var command = new QueryCommand(terminal);
        var spec =
                command.describe(
                        "query",
                        "Ask a crawl by SQL. It may be running or not.",
                        "Tables: pages (url, host, path, status, time, ms, depth, type, title,"
                                + " links, bytes and more), urls (the same of every settled URL,"
                                + " with its kind), links (source, target, source_host,"
                                + " target_host, kind, nofollow), hosts (host, pages, urls,"
                                + " errors, bytes, in_degree, out_degree, links_in, links_out)."
                                + " Nothing can be changed.",
                        "");
        spec.addPositional(Options.directory());
        spec.addPositional(Options.parameter(1, "SQL", "the question, as DuckDB understands it"));
        spec.addOption(Options.text(FORM, "WORD", "table, csv or json; default: table"));
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var word = arguments.matchedOptionValue(FORM, "table");
        var outputFormat =
                OutputFormat.byId(word)
                        .orElseThrow(
                                () ->
                                        new UsageException(
                                                "--output takes table, csv or json, not '"
                                                        + word
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
