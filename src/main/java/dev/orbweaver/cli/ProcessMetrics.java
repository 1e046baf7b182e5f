package dev.orbweaver.cli;

import dev.orbweaver.Summary;
import dev.orbweaver.crawl.CrawlListener;
import dev.orbweaver.crawl.CrawlStatus;
import dev.orbweaver.crawl.Waiting;
import dev.orbweaver.frontier.FrontierStats;
import dev.orbweaver.frontier.Ledger;
import dev.orbweaver.metrics.Metrics;
import dev.orbweaver.metrics.MetricsServer;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.model.Usage;
import dev.orbweaver.sink.StoreStatus;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** {@code --metrics ADDR:PORT}: figures of a crawl or a worker for Prometheus. */
final class ProcessMetrics implements AutoCloseable {

    private static final String OPTION = "--metrics";

    private volatile Supplier<List<CrawlStatus>> crawls = List::of;
    private volatile Supplier<List<StoreStatus>> stores = List::of;
    private volatile Supplier<Usage> usage = () -> Usage.NONE;
    private final Metrics metrics = new Metrics(this::figures);
    private final MetricsServer server;

    private ProcessMetrics(String place) throws IOException {
        this.server = MetricsServer.start(place, metrics);
    }

    static OptionSpec option() {
        return Options.text(
                OPTION, "ADDR:PORT", "answer GET /metrics there, for Prometheus, while it runs");
    }

    /** What was asked for. */
    interface Wish {
        /** Nothing was. */
        Wish NONE = () -> null;

        /** Begins to answer; null where nobody wants that, as try-with-resources takes it. */
        @Nullable ProcessMetrics start() throws IOException;
    }

    static Wish wish(ParseResult arguments) {
        if (!arguments.hasMatchedOption(OPTION)) {
            return Wish.NONE;
        }
        var place = arguments.<String>matchedOptionValue(OPTION, "");
        return () -> new ProcessMetrics(place);
    }

    /** Tells of these from now on. */
    void watch(
            Supplier<List<CrawlStatus>> running,
            Supplier<List<StoreStatus>> following,
            Supplier<Usage> moved) {
        crawls = running;
        stores = following;
        usage = moved;
    }

    /** Counts how long answers took. */
    CrawlListener listener() {
        return (Capture capture) ->
                capture.exchange().ifPresent(exchange -> metrics.times().add(exchange.timings()));
    }

    private Metrics.Figures figures() {
        var all = crawls.get();
        var waiting = new HashMap<String, Double>();
        for (var phase : Waiting.Phase.values()) {
            waiting.put(phase.word(), 0.0);
        }
        for (var crawl : all) {
            Summary.waitingSeconds(crawl.waiting())
                    .forEach((phase, seconds) -> waiting.merge(phase, seconds, Double::sum));
        }
        return new Metrics.Figures(
                sum(all.stream().map(CrawlStatus::frontier).toList()),
                Map.of("running", all.size()),
                all.stream().mapToInt(CrawlStatus::openConnections).sum(),
                all.stream().mapToInt(CrawlStatus::inFlight).sum(),
                all.stream().mapToInt(crawl -> crawl.governor().allowed()).sum(),
                waiting,
                0,
                stores.get(),
                usage.get());
    }

    /** Jobs that share a frontier share its hosts, so those are counted once. */
    private static FrontierStats sum(List<FrontierStats> all) {
        var dead = new HashMap<FailureCause, Long>();
        var refused = new HashMap<Refusal, Long>();
        var ledger = new Ledger(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        var hosts = new FrontierStats.Hosts(0, 0, 0, 0, 0);
        for (var each : all) {
            each.deadByCause().forEach((cause, count) -> dead.merge(cause, count, Long::sum));
            each.refusedByReason().forEach((why, count) -> refused.merge(why, count, Long::sum));
            ledger = ledger.plus(each.ledger());
            hosts = each.hosts();
        }
        return new FrontierStats(ledger, hosts, dead, refused);
    }

    @Override
    public void close() {
        server.close();
        metrics.close();
    }
}
