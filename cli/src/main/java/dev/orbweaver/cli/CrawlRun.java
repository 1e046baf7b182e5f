package dev.orbweaver.cli;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.crawl.RobotsPolicy;
import dev.orbweaver.internal.engine.CrawlOpener;
import dev.orbweaver.internal.engine.OpenCrawl;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.model.CrawlEnd;

import picocli.CommandLine.ParseResult;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** Runs a crawl in the foreground: prints its start, its progress and its result. */
final class CrawlRun {

    private final Terminal terminal;
    private final boolean quiet;
    private final boolean json;
    private final ProcessMetrics.Starter metrics;

    CrawlRun(Terminal terminal, boolean quiet, boolean json) {
        this(terminal, quiet, json, ProcessMetrics.Starter.NONE);
    }

    private CrawlRun(
            Terminal terminal, boolean quiet, boolean json, ProcessMetrics.Starter metrics) {
        this.metrics = metrics;
        this.terminal = json ? terminal.onStandardError() : terminal;
        this.quiet = quiet;
        this.json = json;
    }

    static CrawlRun of(ParseResult arguments, Terminal terminal) {
        return new CrawlRun(
                terminal,
                arguments.hasMatchedOption(Options.QUIET),
                arguments.hasMatchedOption(Options.JSON),
                ProcessMetrics.fromOptions(arguments));
    }

    /** Prepares the directory of a crawl, once its settings are checked. */
    interface Preparation {
        void prepare(Path directory) throws IOException;
    }

    int run(CrawlConfig wanted, Path directory)
            throws ConfigException, IOException, InterruptedException {
        return run(wanted, directory, _ -> {});
    }

    int run(CrawlConfig wanted, Path directory, Preparation preparation)
            throws ConfigException, IOException, InterruptedException {
        wanted.readCookies(Instant.now()).warning().ifPresent(terminal::warn);
        var files = OpenFileLimit.ofThisProcess();
        var concurrency = wanted.crawl().concurrency();
        var config =
                wanted.limitedTo(
                        files.allowedRequests(concurrency, terminal),
                        files.allowedConnections(concurrency));
        Directories.create(directory);
        preparation.prepare(directory);
        announce(config, directory);
        try (var _ = Logging.toDirectory(directory);
                var figures = metrics.start()) {
            var errors =
                    new RecentErrors(
                            figures == null ? CrawlListener.NONE : figures.listener(),
                            // The progress view of a terminal shows them, and would be damaged.
                            quiet || terminal.interactive() ? _ -> {} : terminal::warn);
            var crawl = CrawlOpener.open(config, directory, errors);
            if (figures != null) {
                figures.watch(
                        () -> List.of(crawl.status()),
                        () -> crawl.status().frontier().hosts(),
                        crawl::sinkStatus,
                        crawl::usage);
            }
            crawl.recovered().forEach(terminal::warn);
            try (crawl) {
                return crawl(crawl, config, errors);
            } finally {
                printSinks(crawl.sinkStatus(), directory);
            }
        }
    }

    /** Prints how far the sinks are; with {@code --quiet} only those that are behind. */
    private void printSinks(List<SinkStatus> stores, Path directory) {
        for (var store : stores) {
            if (!store.isComplete()) {
                terminal.warn(SinkText.describe(store, CommandHint.of("sink", directory)));
            } else if (!quiet) {
                terminal.print(SinkText.describe(store, CommandHint.of("sink", directory)));
            }
        }
        terminal.out().flush();
    }

    private int crawl(OpenCrawl crawl, CrawlConfig config, RecentErrors errors)
            throws IOException, InterruptedException {
        Signals.stopOnSignal(crawl, config.crawl().stopGrace(), terminal);
        var view = new ProgressView(config, terminal::columns);
        view.watchSeeds(crawl::seedProgress);
        var progress = quiet ? null : Progress.start(terminal, crawl, view, errors);
        CrawlEnd end;
        try (var _ = quiet ? null : keys(crawl, config)) {
            end = crawl.run();
        } finally {
            if (progress != null) {
                progress.close();
            }
        }
        var crawlReport = crawl.summary(end);
        var notes = EndNotes.of(crawlReport, crawl.directory(), config);
        var code = ExitCode.of(end, crawl.status().frontier().ledger());
        if (!quiet) {
            terminal.out()
                    .print(
                            SummaryBox.of(
                                    end,
                                    crawlReport,
                                    notes,
                                    crawl.directory(),
                                    terminal.columns()));
        } else if (code != ExitCode.COMPLETE && code != ExitCode.INTERRUPTED) {
            terminal.printError("orbweaver: " + SummaryBox.reason(end, crawlReport, notes));
            notes.forEach(terminal::printError);
        }
        if (json) {
            terminal.data().print(crawlReport.toJson());
        }
        terminal.out().flush();
        return code.code();
    }

    /** Lets the user pause, resume and stop the crawl with keys. */
    private Closeable keys(OpenCrawl crawl, CrawlConfig config) {
        return KeyReader.start(
                terminal,
                key -> {
                    switch (key) {
                        case 'p' -> crawl.pause();
                        case 'r' -> crawl.resume();
                        case 's' -> crawl.stop(config.crawl().stopGrace());
                        default -> {}
                    }
                });
    }

    private void announce(CrawlConfig config, Path directory) {
        if (quiet) {
            return;
        }
        terminal.print("crawling " + config.seedsText() + " into " + directory + "/");
        if (!config.networkSettings().hasContact()) {
            terminal.warn(
                    "no --contact given: the User-Agent contains no contact;"
                            + " site owners expect an e-mail address or a URL");
        }
        switch (config.crawl().robots()) {
            case RobotsPolicy.Obey _ -> {}
            case RobotsPolicy.Ignore _ ->
                    terminal.warn(
                            "robots.txt is ignored: pages that site owners disallow are"
                                    + " fetched, and the WARC files record it");
            case RobotsPolicy.Custom(_, var file, _) ->
                    terminal.warn(
                            file
                                    + " replaces the robots.txt of every host: the rules of site"
                                    + " owners are not read, and the WARC files record it");
        }
    }
}
