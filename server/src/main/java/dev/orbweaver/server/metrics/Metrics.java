package dev.orbweaver.server.metrics;

import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.model.Ledger;
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
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import java.io.IOException;
import java.lang.management.ManagementFactory;
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
 * The metrics of a crawling process, in the Prometheus text format. The source is read once per
 * scrape, so that the values of a scrape are consistent.
 */
public final class Metrics implements AutoCloseable {

    private static final double NANOS = 1e9;
    private static final Path IO_FILE = Path.of("/proc/self/io");
    private static final Path STATUS_FILE = Path.of("/proc/self/status");
    private static final int BYTES_PER_KB = 1024;

    /**
     * The values at one point in time.
     *
     * @param counted what was done since the start of the process
     * @param frontier the sum over all jobs
     * @param jobs number of jobs by state
     * @param allowed concurrent requests that the governors allow
     * @param secondsByPhase time spent by phase, such as politeness or dns
     */
    public record MetricsSnapshot(
            Ledger counted,
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

    private final PrometheusMeterRegistry registry = registry();
    private final Supplier<MetricsSnapshot> source;
    private final AtomicReference<MetricsSnapshot> lastSnapshot;
    private final RequestTimes times = new RequestTimes(registry);
    private final ServiceFigures service = new ServiceFigures(registry);
    private final JvmGcMetrics collections = new JvmGcMetrics();
    private final MultiGauge jobs =
            MultiGauge.builder("orbweaver.jobs").description("Jobs by state").register(registry);
    private final MultiGauge secondsByPhase =
            MultiGauge.builder("orbweaver.waiting")
                    .description("Time of hosts and requests by phase, summed over hosts")
                    .baseUnit("seconds")
                    .register(registry);
    private final MultiGauge lag =
            MultiGauge.builder("orbweaver.sink.lag")
                    .description("Items a sink has not stored yet, in the sink's unit")
                    .register(registry);
    private final MultiGauge failing =
            MultiGauge.builder("orbweaver.sink.failing")
                    .description("1 while a sink is failing, otherwise 0")
                    .register(registry);
    private final MultiGauge fill =
            MultiGauge.builder("orbweaver.sink.batch.fill")
                    .description("Average fill level of a sink's batches, from 0 to 1")
                    .baseUnit("ratio")
                    .register(registry);
    private final MultiGauge compression =
            MultiGauge.builder("orbweaver.sink.compression")
                    .description("Bytes stored by a sink per byte received")
                    .baseUnit("ratio")
                    .register(registry);
    private final MultiGauge dead =
            MultiGauge.builder("orbweaver.urls.dead")
                    .description("Dead letters by cause")
                    .register(registry);
    private final MultiGauge refused =
            MultiGauge.builder("orbweaver.urls.refused")
                    .description("URLs refused or withdrawn, by reason")
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
        registerBuild();
        registerCpu();
        registerResidentMemory();
        registerLedger();
        registerHosts();
        gauge(
                "orbweaver.connections.open",
                "Open connections",
                metricsSnapshot -> metricsSnapshot.connections);
        gauge(
                "orbweaver.requests.active",
                "Requests in progress",
                metricsSnapshot -> metricsSnapshot.inFlight);
        gauge(
                "orbweaver.requests.limit",
                "Concurrent requests that the governor allows",
                metricsSnapshot -> metricsSnapshot.allowed);
        gauge(
                "orbweaver.events.subscribers",
                "Clients subscribed to events",
                metricsSnapshot -> metricsSnapshot.eventSubscribers);
        network("sent", TransferStats::sentBytes);
        network("received", TransferStats::receivedBytes);
        disk("read", "read_bytes");
        disk("written", "write_bytes");
    }

    /** Leaves out metrics whose names break the rules; process_cpu_seconds_total replaces one. */
    private static PrometheusMeterRegistry registry() {
        var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        registry.config()
                .meterFilter(MeterFilter.denyNameStartsWith("process.cpu.time"))
                .meterFilter(MeterFilter.denyNameStartsWith("system.cpu.count"));
        return registry;
    }

    private void registerCpu() {
        if (ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean system) {
            FunctionCounter.builder("process.cpu", system, bean -> bean.getProcessCpuTime() / NANOS)
                    .description("CPU time of this process, of all its threads")
                    .baseUnit("seconds")
                    .register(registry);
        }
    }

    private void registerBuild() {
        var version = Metrics.class.getPackage().getImplementationVersion();
        Gauge.builder("orbweaver.build.info", () -> 1)
                .description("The version of the program and of Java; the value is always 1")
                .tag("version", version == null ? "development" : version)
                .tag("java", Runtime.version().toString())
                .register(registry);
    }

    private void registerLedger() {
        counter("orbweaver.pages", "Pages stored", Ledger::pages);
        FunctionCounter.builder(
                        "orbweaver.received",
                        lastSnapshot,
                        metricsSnapshot -> metricsSnapshot.get().counted().bytes())
                .description("Bytes of response bodies received")
                .baseUnit("bytes")
                .register(registry);
        counter("orbweaver.urls.offered", "URLs found, including duplicates", Ledger::offered);
        counter(
                "orbweaver.urls.duplicate",
                "URLs found that were already known",
                Ledger::duplicate);
        counter("orbweaver.urls.accepted", "URLs accepted by the frontier", Ledger::accepted);
        counter("orbweaver.urls.done", "URLs with a final response", Ledger::done);
        counter(
                "orbweaver.urls.withdrawn",
                "URLs accepted but not requested, because of robots.txt or an exclusion",
                Ledger::withdrawn);
        gauge(
                "orbweaver.urls.queued",
                "URLs queued",
                metricsSnapshot -> metricsSnapshot.frontier.ledger().queued());
        gauge(
                "orbweaver.urls.leased",
                "URLs being fetched",
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
                        metricsSnapshot -> count.applyAsDouble(metricsSnapshot.get().counted()))
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

    /** Registers the disk bytes of this process, if the system reports them in /proc. */
    private void disk(String direction, String line) {
        if (Files.isReadable(IO_FILE)) {
            FunctionCounter.builder("process.disk." + direction, line, name -> value(IO_FILE, name))
                    .description("Bytes " + direction + " by this process")
                    .baseUnit("bytes")
                    .register(registry);
        }
    }

    private void registerResidentMemory() {
        if (Files.isReadable(STATUS_FILE)) {
            Gauge.builder(
                            "process.resident.memory",
                            () -> value(STATUS_FILE, "VmRSS") * BYTES_PER_KB)
                    .description("Resident memory of this process")
                    .baseUnit("bytes")
                    .register(registry);
        }
    }

    private static double number(String text) {
        return Double.parseDouble(text.strip().split(" ", -1)[0]);
    }

    /** Returns the number of a line such as {@code VmRSS: 2048 kB}. */
    private static double value(Path file, String name) {
        try (var lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(name + ":"))
                    .mapToDouble(line -> number(line.substring(name.length() + 1)))
                    .findFirst()
                    .orElse(Double.NaN);
        } catch (IOException e) {
            return Double.NaN; // Prometheus represents an unknown value as NaN.
        }
    }

    public RequestTimes requestTimes() {
        return times;
    }

    public ServiceFigures service() {
        return service;
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

    /** Registers the counters of a sink; the registry ignores repeated registrations. */
    private void sinkCounters(String sink) {
        sinkCounter(
                "orbweaver.sink.flushes", "Flushes completed by a sink", sink, SinkCounts::flushes);
        sinkCounter(
                "orbweaver.sink.failures",
                "Flushes of a sink that failed",
                sink,
                SinkCounts::failures);
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
                .description("Bytes written to files, by type of file")
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

    /** The Content-Type of {@link #scrape}. */
    public static String contentType() {
        return "text/plain; version=0.0.4; charset=utf-8";
    }

    @Override
    public void close() {
        collections.close();
        registry.close();
    }
}
