package dev.orbweaver.imports.crawls;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** An import from PostgreSQL in a process of its own, which prints its progress. */
final class ImportProcess {

    private ImportProcess() {}

    public static void main(String[] args) throws Exception {
        var report = run(args[0], Path.of(args[1]), System.out::println);
        report.parts().forEach(System.out::println);
        System.out.println("balances=" + report.balances());
    }

    static ImportReport run(String jdbc, Path out, Consumer<String> progress) throws Exception {
        try (var importer =
                PostgresImporter.open(
                        jdbc, new PostgresNames(Map.of(), Map.of()), 1, _ -> Optional.empty())) {
            return new CrawlImport(
                            importer,
                            config(),
                            ImportDestination.directory(config(), out),
                            out,
                            InstantSource.system(),
                            progress)
                    .run();
        }
    }

    static CrawlConfig config() throws Exception {
        return config("0");
    }

    static CrawlConfig config(String delay) throws Exception {
        return CrawlConfig.read(
                new SettingValues()
                        .put(Settings.SEED_LISTS, "true")
                        .put("allow-private", "true")
                        .put("delay", delay)
                        .put("delay-ip", "0"));
    }

    static Process start(String jdbc, Path out) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.add("--sun-misc-unsafe-memory-access=allow");
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(ImportProcess.class.getName(), jdbc, out.toString()));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** Runs the import until it prints a text, then kills it. */
    static void killAt(String text, String jdbc, Path out) throws Exception {
        var process = start(jdbc, out);
        try (var lines = process.inputReader()) {
            for (var line = lines.readLine(); ; line = lines.readLine()) {
                if (line == null) {
                    throw new IllegalStateException("the import ended without: " + text);
                }
                if (line.contains(text)) {
                    process.destroyForcibly().waitFor();
                    return;
                }
            }
        }
    }
}
