package dev.orbweaver.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.archive.PageQuery;
import dev.orbweaver.internal.archive.PageSearch;
import dev.orbweaver.internal.config.Quantities;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.sink.PageLogEntry;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** {@code orbweaver pages DIR}: lists the visited pages of a crawl by time, status and host. */
record PagesCommand(Terminal terminal) implements Command {

    private static final String SINCE = "--since";
    private static final String UNTIL = "--until";
    private static final String STATUS = "--status";
    private static final String HOST = "--host";
    private static final String FORMAT = "--format";
    private static final String LIMIT = "--limit";
    private static final int BUFFER = 1 << 16;
    private static final int FLUSH_PAGES = 1_000;

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new PagesCommand(terminal)
                        .describe(
                                "pages",
                                "List the visited pages of a crawl by time, status and host.",
                                "The crawl may be running. A time T is a date (2030-01-31), a date"
                                    + " and time (2030-01-31T12:00, UTC without an offset) or an"
                                    + " age (7d, 12h, 30m).");
        spec.addPositional(Options.directory());
        spec.addOption(Options.text(SINCE, "T", "only pages requested at T or later"));
        spec.addOption(Options.text(UNTIL, "T", "only pages requested before T"));
        spec.addOption(
                Options.list(
                        STATUS,
                        "STATUS",
                        "only pages with this status: 404, 4xx, or none where no response was"
                                + " received; repeatable"));
        spec.addOption(Options.text(HOST, "HOST", "only pages of this host"));
        spec.addOption(
                Options.text(
                        FORMAT,
                        "FORMAT",
                        "text: time, status and URL (default); jsonl: lines of the page log"));
        spec.addOption(Options.text(LIMIT, "N", "list at most N pages"));
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var jsonl = isJsonl(arguments);
        var directory = Directories.fromArgument(arguments);
        var pages = Directories.pages(List.of(directory.toString()));
        var query = query(arguments, StoredCrawl.open(directory, Modules.SETTINGS), Instant.now());
        try (var out = new PageOutput(jsonl, stream(jsonl ? terminal.data() : terminal.out()))) {
            var _ = PageSearch.run(pages, query, out);
        }
        return ExitCode.COMPLETE.code();
    }

    private static PrintStream stream(PrintStream out) {
        return new PrintStream(new BufferedOutputStream(out, BUFFER), false, UTF_8);
    }

    private static boolean isJsonl(ParseResult arguments) {
        return switch (arguments.matchedOptionValue(FORMAT, "text")) {
            case "text" -> false;
            case "jsonl" -> true;
            case String other ->
                    throw new UsageException(
                            "%s: unknown format '%s'; expected text or jsonl"
                                    .formatted(FORMAT, other));
        };
    }

    private static PageQuery query(ParseResult arguments, StoredCrawl crawl, Instant now) {
        var since = time(arguments, SINCE, now);
        var until = time(arguments, UNTIL, now);
        if (since.isPresent() && until.isPresent() && !since.get().isBefore(until.get())) {
            throw new UsageException(
                    "%s (%s) must be before %s (%s)"
                            .formatted(SINCE, since.get(), UNTIL, until.get()));
        }
        var statuses = new ArrayList<PageQuery.StatusRange>();
        for (var text : arguments.matchedOptionValue(STATUS, List.<String>of())) {
            statuses.add(
                    PageQuery.StatusRange.parse(text)
                            .orElseThrow(
                                    () ->
                                            new UsageException(
                                                    "%s: expected a status such as 404, 4xx or none, not '%s'"
                                                            .formatted(STATUS, text))));
        }
        return new PageQuery(since, until, statuses, host(arguments, crawl), limit(arguments));
    }

    private static Optional<String> host(ParseResult arguments, StoredCrawl crawl) {
        if (!arguments.hasMatchedOption(HOST)) {
            return Optional.empty();
        }
        var text = arguments.matchedOptionValue(HOST, "");
        return Optional.of(
                crawl.parseHost(text)
                        .orElseThrow(
                                () ->
                                        new UsageException(
                                                "%s: expected a host name without port, not '%s'"
                                                        .formatted(HOST, text))));
    }

    private static long limit(ParseResult arguments) {
        if (!arguments.hasMatchedOption(LIMIT)) {
            return Long.MAX_VALUE;
        }
        var text = arguments.matchedOptionValue(LIMIT, "");
        return Quantities.count(text)
                .filter(number -> number > 0)
                .orElseThrow(
                        () ->
                                new UsageException(
                                        "%s: expected a number from 1, not '%s'"
                                                .formatted(LIMIT, text)));
    }

    /** Returns the time that an option names, if it is given. */
    static Optional<Instant> time(ParseResult arguments, String option, Instant now) {
        if (!arguments.hasMatchedOption(option)) {
            return Optional.empty();
        }
        var text = arguments.matchedOptionValue(option, "").strip();
        return Optional.of(
                parseTime(text, now)
                        .orElseThrow(
                                () ->
                                        new UsageException(
                                                "%s: expected a date such as 2030-01-31, a date and time such as 2030-01-31T12:00:00Z or an age such as 7d, not '%s'"
                                                        .formatted(option, text))));
    }

    /** Parses a date, a date and time, in UTC without an offset, or an age with its unit. */
    static Optional<Instant> parseTime(String text, Instant now) {
        try {
            if (text.matches("[0-9.]+[a-z]+")) {
                return Quantities.duration(text).map(now::minus);
            }
            if (!text.contains("T")) {
                return Optional.of(LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC));
            }
            return Optional.of(
                    text.matches(".*(Z|[+-]\\d\\d:\\d\\d)")
                            ? OffsetDateTime.parse(text).toInstant()
                            : LocalDateTime.parse(text).toInstant(ZoneOffset.UTC));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** Prints pages. */
    private static final class PageOutput implements PageSearch.Visitor, AutoCloseable {

        private final boolean jsonl;
        private final PrintStream out;
        private int unflushed;

        PageOutput(boolean jsonl, PrintStream out) {
            this.jsonl = jsonl;
            this.out = out;
        }

        @Override
        public void visit(PageLogEntry page, byte[] line) throws IOException {
            if (jsonl) {
                out.write(line);
            } else {
                out.println("%s  %-13s  %s".formatted(page.time(), result(page), page.url()));
            }
            if (++unflushed == FLUSH_PAGES) {
                unflushed = 0;
                if (out.checkError()) {
                    throw new IOException("standard output was closed");
                }
            }
        }

        private static String result(PageLogEntry page) {
            return page.status() == 0 ? page.cause() : Integer.toString(page.status());
        }

        @Override
        public void close() {
            out.flush();
        }
    }
}
