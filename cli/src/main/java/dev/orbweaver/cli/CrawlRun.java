package dev.orbweaver.cli;

import dev.orbweaver.Crawler;
import dev.orbweaver.RunningCrawl;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.internal.crawl.CrawlEnd;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.crawl.RobotsPolicy;
import dev.orbweaver.internal.sink.SinkStatus;

import picocli.CommandLine.ParseResult;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Runs a crawl under a person's eyes: what begins, how it goes, how it ended. */
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

    int run(CrawlConfig wanted, Path directory) throws IOException, InterruptedException {
        var files = OpenFileLimit.ofThisProcess();
        var workers = wanted.crawl().concurrency();
        var config =
                wanted.limitedTo(
                        files.allowedRequests(workers, terminal),
                        files.allowedConnections(workers));
        Files.createDirectories(directory);
        announce(config, directory);
        try (var _ = Logging.toDirectory(directory);
                var figures = metrics.start()) {
            var errors =
                    new RecentErrors(figures == null ? CrawlListener.NONE : figures.listener());
            var crawl = Crawler.open(config, directory, errors);
            if (figures != null) {
                figures.watch(() -> List.of(crawl.status()), crawl::sinkStatus, crawl::usage);
            }
            crawl.recovered().forEach(terminal::warn);
            try (crawl) {
                return crawl(crawl, config, errors);
            } finally {
                printSinks(crawl.sinkStatus(), directory);
            }
        }
    }

    /** How far the sinks came; also when all else is quiet, if one of them is behind. */
    private void printSinks(List<SinkStatus> stores, Path directory) {
        for (var store : stores) {
            if (!store.isComplete()) {
                terminal.warn(SinkText.describe(store, "./orbweaver sink " + directory));
            } else if (!quiet) {
                terminal.print(SinkText.describe(store, "./orbweaver sink " + directory));
            }
        }
        terminal.out().flush();
    }

    private int crawl(RunningCrawl crawl, CrawlConfig config, RecentErrors errors)
            throws IOException, InterruptedException {
        Signals.stopOnSignal(crawl, config.crawl().stopGrace(), terminal);
        var view = new ProgressView(config, terminal.columns());
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
        if (!quiet) {
            terminal.out()
                    .print(SummaryBox.of(end, crawlReport, crawl.directory(), terminal.columns()));
        }
        if (json) {
            terminal.data().print(crawlReport.toJson());
        }
        terminal.out().flush();
        return ExitCode.of(end, crawl.status().frontier().ledger()).code();
    }

    /** Lets the person who watches change the crawl. */
    private Closeable keys(RunningCrawl crawl, CrawlConfig config) {
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
        var seeds = config.seeds();
        var more = seeds.size() > 1 ? " and " + (seeds.size() - 1) + " more" : "";
        terminal.print("crawling " + seeds.getFirst().url() + more + " into " + directory + "/");
        if (!config.networkSettings().hasContact()) {
            terminal.warn(
                    "no --contact given: the User-Agent names no contact;"
                            + " site owners expect an address or a page");
        }
        switch (config.crawl().robots()) {
            case RobotsPolicy.Obey _ -> {}
            case RobotsPolicy.Ignore _ ->
                    terminal.warn(
                            "robots.txt is ignored; pages will be fetched that"
                                    + " their owners asked crawlers to leave alone, and the"
                                    + " WARC files say so");
            case RobotsPolicy.Custom(_, var file, _) ->
                    terminal.warn(
                            file
                                    + " stands in for every host's robots.txt; what their"
                                    + " owners ask of crawlers is not read, and the WARC"
                                    + " files say so");
        }
    }
}
