package dev.orbweaver.cli;

import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.crawl.TimeProfile;
import dev.orbweaver.internal.engine.CrawlReports;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.model.TransferStats;
import dev.orbweaver.server.metrics.Metrics;
import dev.orbweaver.server.metrics.MetricsServer;
import dev.orbweaver.server.metrics.ProcessLedger;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** {@code --metrics ADDR:PORT}: serves metrics of a crawl or a worker to Prometheus. */
final class ProcessMetrics implements AutoCloseable {

    private static final String OPTION = "--metrics";

    private volatile Supplier<List<CrawlStatus>> crawls = List::of;
    private volatile Supplier<FrontierStats.Hosts> hosts =
            () -> new FrontierStats.Hosts(0, 0, 0, 0, 0);
    private volatile Supplier<List<SinkStatus>> sinkStatus = List::of;
    private volatile Supplier<TransferStats> transferStats = () -> TransferStats.NONE;

    /** Crawls come and go, so their sum counts as one job. */
    private static final JobId ALL = new JobId(0);

    private final ProcessLedger ledger = new ProcessLedger();
    private final Metrics metrics = new Metrics(this::snapshot);
    private final MetricsServer server;

    private ProcessMetrics(String address) throws IOException {
        this.server = MetricsServer.start(address, metrics);
    }

    static OptionSpec option() {
        return Options.text(
                OPTION,
                "ADDR:PORT",
                "serve Prometheus metrics at http://ADDR:PORT/metrics while running");
    }

    interface Starter {
        Starter NONE = () -> null;

        /** Starts the server; null without the option, which try-with-resources accepts. */
        @Nullable ProcessMetrics start() throws IOException;
    }

    static Starter fromOptions(ParseResult arguments) {
        if (!arguments.hasMatchedOption(OPTION)) {
            return Starter.NONE;
        }
        var address = arguments.<String>matchedOptionValue(OPTION, "");
        return () -> new ProcessMetrics(address);
    }

    /**
     * @param all the hosts of all crawls; those that crawls share count once
     */
    void watch(
            Supplier<List<CrawlStatus>> running,
            Supplier<FrontierStats.Hosts> all,
            Supplier<List<SinkStatus>> following,
            Supplier<TransferStats> moved) {
        crawls = running;
        hosts = all;
        sinkStatus = following;
        transferStats = moved;
    }

    CrawlListener listener() {
        return (Capture capture) ->
                capture.exchange().ifPresent(exchange -> metrics.requestTimes().add(exchange));
    }

    private Metrics.MetricsSnapshot snapshot() {
        var all = crawls.get();
        var waiting = new HashMap<String, Double>();
        for (var phase : TimeProfile.Phase.values()) {
            waiting.put(phase.id(), 0.0);
        }
        for (var crawl : all) {
            CrawlReports.phaseSeconds(crawl.timeProfile())
                    .forEach((phase, seconds) -> waiting.merge(phase, seconds, Double::sum));
        }
        var sum = sum(all.stream().map(CrawlStatus::frontier).toList(), hosts.get());
        ledger.update(ALL, sum.ledger());
        return new Metrics.MetricsSnapshot(
                ledger.total(),
                sum,
                Map.of("running", all.size()),
                all.stream().mapToInt(CrawlStatus::openConnections).sum(),
                all.stream().mapToInt(CrawlStatus::inFlight).sum(),
                all.stream().mapToInt(crawl -> crawl.governor().allowed()).sum(),
                waiting,
                0,
                sinkStatus.get(),
                transferStats.get());
    }

    private static FrontierStats sum(List<FrontierStats> all, FrontierStats.Hosts hosts) {
        var dead = new HashMap<FailureCause, Long>();
        var refused = new HashMap<Refusal, Long>();
        var ledger = new Ledger(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        for (var each : all) {
            each.deadByCause().forEach((cause, count) -> dead.merge(cause, count, Long::sum));
            each.refusedByReason().forEach((why, count) -> refused.merge(why, count, Long::sum));
            ledger = ledger.plus(each.ledger());
        }
        return new FrontierStats(ledger, hosts, dead, refused);
    }

    @Override
    public void close() {
        server.close();
        metrics.close();
    }
}
