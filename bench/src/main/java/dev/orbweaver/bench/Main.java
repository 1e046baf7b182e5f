package dev.orbweaver.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Lists the benchmarks, or runs one and prints its results as one line of JSON. */
public final class Main {

    private static final List<Benchmark> ALL =
            List.of(
                    AuditBenchmark.BENCHMARK,
                    BackupsBenchmark.BENCHMARK,
                    CrawlBenchmark.BENCHMARK,
                    DamageBenchmark.BENCHMARK,
                    DocsBenchmark.BENCHMARK,
                    DuplicatesBenchmark.BENCHMARK,
                    ExactnessBenchmark.BENCHMARK,
                    FetchBenchmark.BENCHMARK,
                    FetchSoakBenchmark.BENCHMARK,
                    FleetBenchmark.BENCHMARK,
                    FleetKillsBenchmark.BENCHMARK,
                    FrontierBenchmark.BENCHMARK,
                    ImportBenchmark.BENCHMARK,
                    JobsBenchmark.BENCHMARK,
                    KillBenchmark.BENCHMARK,
                    MarkdownBenchmark.BENCHMARK,
                    SimulatedWebBenchmark.BENCHMARK,
                    PagesBenchmark.BENCHMARK,
                    ParseBenchmark.BENCHMARK,
                    RecrawlKillsBenchmark.BENCHMARK,
                    RecrawlSiteBenchmark.BENCHMARK,
                    ScalingBenchmark.BENCHMARK,
                    PeersBenchmark.BENCHMARK,
                    RecrawlBenchmark.BENCHMARK,
                    SeedsBenchmark.BENCHMARK,
                    ServiceBenchmark.BENCHMARK,
                    SimulationBenchmark.BENCHMARK,
                    SinksBenchmark.BENCHMARK,
                    SlowBenchmark.BENCHMARK,
                    SoakBenchmark.BENCHMARK,
                    StartBenchmark.BENCHMARK,
                    FrontierKillLoopBenchmark.BENCHMARK,
                    TrapsBenchmark.BENCHMARK,
                    WarmupBenchmark.BENCHMARK,
                    WarcBenchmark.BENCHMARK,
                    HostileHostsBenchmark.BENCHMARK);

    private Main() {}

    /** {@code bench/run [NAME [options]]}. */
    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            ALL.forEach(each -> System.out.println("%-13s %s".formatted(each.name(), each.help())));
            return;
        }
        var benchmark = ALL.stream().filter(each -> each.name().equals(args[0])).findFirst();
        if (benchmark.isEmpty()) {
            System.err.println("bench: unknown benchmark " + args[0] + "; bench/run lists them");
            System.exit(2);
            return;
        }
        var options = Options.read(List.of(args).subList(1, args.length));
        var figures = benchmark.get().measurement().run(options);
        var json = json(figures);
        keep(args[0], json);
        System.out.println(json);
        if (Boolean.FALSE.equals(figures.get(Benchmark.HELD))) {
            System.exit(1);
        }
    }

    private static String json(Map<String, Object> figures) {
        return figures.entrySet().stream()
                .map(entry -> "\"" + entry.getKey() + "\":" + value(entry.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String value(Object value) {
        return switch (value) {
            case Double number -> String.format(java.util.Locale.ROOT, "%.3f", number);
            case Number number -> number.toString();
            case Boolean flag -> flag.toString();
            default -> "\"" + value.toString().replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
        };
    }

    private static void keep(String name, String json) throws IOException {
        var directory = Path.of(System.getProperty("orbweaver.root"), "bench", "results");
        Files.createDirectories(directory);
        var stamp = Instant.now().toString().replaceAll("[^0-9TZ]", "").substring(0, 15);
        Files.writeString(directory.resolve(name + "-" + stamp + ".json"), json + "\n");
    }
}
