package dev.orbweaver.server.metrics;

import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.Ledger;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.model.SinkCounts;
import dev.orbweaver.model.TransferStats;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * The metrics of a crawling process, in the text format of Prometheus. The source is read once per
 * scrape, so that all values of one scrape belong together.
 */
public final class Metrics implements AutoCloseable {

    private static final Path IO_FILE = Path.of("/proc/self/io");

    /**
     * The values at one moment.
     *
     * @param frontier of all jobs together
     * @param jobs by state
     * @param allowed requests that the governors allow at once
     * @param secondsByPhase seconds by what was waited for
     */
    public record MetricsSnapshot(
            FrontierStats frontier,
            Map<String, Integer> jobs,
            int connections,
            int inFlight,
            int allowed,
            Map<String, Double> secondsByPhase,
            int eventSubscribers,
            List<SinkStatus> sinkStatus,
            TransferStats transferStats) {

        public MetricsSnapshot {
            jobs = Map.copyOf(jobs);
            secondsByPhase = Map.copyOf(secondsByPhase);
            sinkStatus = List.copyOf(sinkStatus);
        }
    }

    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Supplier<MetricsSnapshot> source;
    private final AtomicReference<MetricsSnapshot> lastSnapshot;
    private final RequestTimes times = new RequestTimes(registry);
    private final JvmGcMetrics collections = new JvmGcMetrics();
    private final MultiGauge jobs =
            MultiGauge.builder("orbweaver.jobs").description("Jobs by state").register(registry);
    private final MultiGauge secondsByPhase =
            MultiGauge.builder("orbweaver.waiting")
                    .description("Time of hosts and requests by what it was spent on")
                    .baseUnit("seconds")
                    .register(registry);
    private final MultiGauge lag =
            MultiGauge.builder("orbweaver.sink.lag")
                    .description("What a sink has not taken yet, in its own unit")
                    .register(registry);
    private final MultiGauge failing =
            MultiGauge.builder("orbweaver.sink.troubled")
                    .description("1 while a sink cannot go on")
                    .register(registry);
    private final MultiGauge fill =
            MultiGauge.builder("orbweaver.sink.batch.fill")
                    .description("How full a sink's flushes were, 1 being as full as they can be")
                    .baseUnit("ratio")
                    .register(registry);
    private final MultiGauge compression =
            MultiGauge.builder("orbweaver.sink.compression")
                    .description("Bytes that a sink has stored for each byte that it was given")
                    .baseUnit("ratio")
                    .register(registry);
    private final MultiGauge dead =
            MultiGauge.builder("orbweaver.urls.dead")
                    .description("URLs given up, by cause")
                    .register(registry);
    private final MultiGauge refused =
            MultiGauge.builder("orbweaver.urls.refused")
                    .description("URLs turned away, by reason")
                    .register(registry);

    /**
     * @param source read once per scrape
     */
    public Metrics(Supplier<MetricsSnapshot> source) {
        this.source = source;
        this.lastSnapshot = new AtomicReference<>(source.get());
        new ClassLoaderMetrics().bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        collections.bindTo(registry);
        registerLedger();
        registerHosts();
        gauge(
                "orbweaver.connections.open",
                "Sockets open",
                metricsSnapshot -> metricsSnapshot.connections);
        gauge(
                "orbweaver.requests.active",
                "Requests under way",
                metricsSnapshot -> metricsSnapshot.inFlight);
        gauge(
                "orbweaver.requests.allowed",
                "Requests that the governor allows at the same time",
                metricsSnapshot -> metricsSnapshot.allowed);
        gauge(
                "orbweaver.events.listeners",
                "Clients that listen",
                metricsSnapshot -> metricsSnapshot.eventSubscribers);
        network("sent", TransferStats::sentBytes);
        network("received", TransferStats::receivedBytes);
        disk("read", "read_bytes");
        disk("written", "write_bytes");
    }

    private void registerLedger() {
        counter("orbweaver.pages", "Pages stored", Ledger::pages);
        FunctionCounter.builder(
                        "orbweaver.received",
                        lastSnapshot,
                        metricsSnapshot -> metricsSnapshot.get().frontier().ledger().bytes())
                .description("Bytes of bodies received")
                .baseUnit("bytes")
                .register(registry);
        counter("orbweaver.urls.offered", "URLs found", Ledger::offered);
        counter("orbweaver.urls.duplicate", "URLs found that were known", Ledger::duplicate);
        counter("orbweaver.urls.accepted", "URLs taken in", Ledger::accepted);
        counter("orbweaver.urls.done", "URLs with a final answer", Ledger::done);
        counter("orbweaver.urls.withdrawn", "URLs not asked for after all", Ledger::withdrawn);
        gauge(
                "orbweaver.urls.queued",
                "URLs that wait",
                metricsSnapshot -> metricsSnapshot.frontier.ledger().queued());
        gauge(
                "orbweaver.urls.leased",
                "URLs being asked for",
                metricsSnapshot -> metricsSnapshot.frontier.ledger().leased());
    }

    private void registerHosts() {
        registerHostState("idle", hosts -> hosts.idle());
        registerHostState("waiting", hosts -> hosts.waiting());
        registerHostState("ready", hosts -> hosts.ready());
        registerHostState("busy", hosts -> hosts.busy());
        registerHostState("resting", hosts -> hosts.resting());
    }

    private void registerHostState(String state, ToDoubleFunction<FrontierStats.Hosts> count) {
        Gauge.builder(
                        "orbweaver.hosts",
                        lastSnapshot,
                        metricsSnapshot ->
                                count.applyAsDouble(metricsSnapshot.get().frontier().hosts()))
                .description("Hosts by state")
                .tag("state", state)
                .register(registry);
    }

    private void counter(String name, String what, ToDoubleFunction<Ledger> count) {
        FunctionCounter.builder(
                        name,
                        lastSnapshot,
                        metricsSnapshot ->
                                count.applyAsDouble(metricsSnapshot.get().frontier().ledger()))
                .description(what)
                .register(registry);
    }

    private void gauge(String name, String what, ToDoubleFunction<MetricsSnapshot> value) {
        Gauge.builder(
                        name,
                        lastSnapshot,
                        metricsSnapshot -> value.applyAsDouble(metricsSnapshot.get()))
                .description(what)
                .register(registry);
    }

    /** What this process read from and wrote to disks, where the system reports it. */
    private void disk(String direction, String line) {
        if (Files.isReadable(IO_FILE)) {
            FunctionCounter.builder("process.disk." + direction, line, Metrics::ioCounter)
                    .description("Bytes " + direction + " by this process")
                    .baseUnit("bytes")
                    .register(registry);
        }
    }

    private static double ioCounter(String name) {
        try (var lines = Files.lines(IO_FILE)) {
            return lines.filter(line -> line.startsWith(name + ":"))
                    .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                    .findFirst()
                    .orElse(Double.NaN);
        } catch (IOException e) {
            return Double.NaN; // Prometheus' word for what is not known.
        }
    }

    public RequestTimes requestTimes() {
        return times;
    }

    public String scrape() {
        var now = source.get();
        lastSnapshot.set(now);
        rows(jobs, "state", new TreeMap<>(now.jobs));
        rows(secondsByPhase, "phase", new TreeMap<>(now.secondsByPhase));
        var deadByCause = new TreeMap<String, Long>();
        now.frontier.deadByCause().forEach((cause, count) -> deadByCause.put(cause.id(), count));
        rows(dead, "cause", deadByCause);
        var refusedByReason = new TreeMap<String, Long>();
        now.frontier
                .refusedByReason()
                .forEach((reason, count) -> refusedByReason.put(reason.id(), count));
        rows(refused, "reason", refusedByReason);
        var behind = new TreeMap<String, Long>();
        var problem = new TreeMap<String, Integer>();
        for (var store : now.sinkStatus) {
            behind.merge(store.name(), store.total() - store.done(), Long::sum);
            problem.merge(store.name(), store.problem().isEmpty() ? 0 : 1, Math::max);
        }
        rows(lag, "sink", behind);
        rows(failing, "sink", problem);
        usage(now.transferStats);
        return registry.scrape();
    }

    private void usage(TransferStats transferStats) {
        var filled = new TreeMap<String, Double>();
        var compressed = new TreeMap<String, Double>();
        transferStats
                .sinks()
                .forEach(
                        (name, counts) -> {
                            counts.fillRatio().ifPresent(ratio -> filled.put(name, ratio));
                            counts.compressionRatio()
                                    .ifPresent(ratio -> compressed.put(name, ratio));
                            sinkCounters(name);
                        });
        rows(fill, "sink", filled);
        rows(compression, "sink", compressed);
        transferStats.writtenBytes().keySet().forEach(this::writtenCounter);
    }

    /** The registry creates each only once. */
    private void sinkCounters(String sink) {
        sinkCounter("orbweaver.sink.flushes", "Writes completed", sink, SinkCounts::flushes);
        sinkCounter("orbweaver.sink.failures", "Writes not completed", sink, SinkCounts::failures);
    }

    private void sinkCounter(
            String name, String what, String sink, ToDoubleFunction<SinkCounts> count) {
        FunctionCounter.builder(
                        name,
                        lastSnapshot,
                        metricsSnapshot ->
                                count.applyAsDouble(
                                        metricsSnapshot
                                                .get()
                                                .transferStats
                                                .sinks()
                                                .getOrDefault(sink, SinkCounts.NONE)))
                .description(what)
                .tag("sink", sink)
                .register(registry);
    }

    private void writtenCounter(String part) {
        FunctionCounter.builder(
                        "orbweaver.disk.written",
                        lastSnapshot,
                        metricsSnapshot ->
                                metricsSnapshot
                                        .get()
                                        .transferStats
                                        .writtenBytes()
                                        .getOrDefault(part, 0L))
                .description("Bytes written to files, by what these are")
                .baseUnit("bytes")
                .tag("part", part)
                .register(registry);
    }

    private void network(String direction, ToDoubleFunction<TransferStats> bytes) {
        FunctionCounter.builder(
                        "orbweaver.network." + direction,
                        lastSnapshot,
                        metricsSnapshot -> bytes.applyAsDouble(metricsSnapshot.get().transferStats))
                .description("Bytes " + direction + " by the fetcher, TLS included")
                .baseUnit("bytes")
                .register(registry);
    }

    private static void rows(MultiGauge gauge, String tag, Map<String, ? extends Number> values) {
        var rows = new ArrayList<MultiGauge.Row<?>>();
        values.forEach((name, value) -> rows.add(MultiGauge.Row.of(Tags.of(tag, name), value)));
        gauge.register(rows, true);
    }

    /** The content type of {@link #scrape}. */
    public static String contentType() {
        return "text/plain; version=0.0.4; charset=utf-8";
    }

    @Override
    public void close() {
        collections.close();
        registry.close();
    }
}
