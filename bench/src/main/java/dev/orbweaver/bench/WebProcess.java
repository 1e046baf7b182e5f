package dev.orbweaver.bench;

import dev.orbweaver.model.FileExtensions;
import dev.orbweaver.testkit.CrawlAssumptions;
import dev.orbweaver.testkit.GroundTruth;
import dev.orbweaver.testkit.SimulatedWeb;
import dev.orbweaver.testkit.WebSpec;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A simulated web in a separate process, so that its CPU time does not count as the crawler's. */
final class WebProcess implements AutoCloseable {

    private final Process process;
    private final BufferedReader output;
    private final WebSpec spec;
    private final String announced;

    private WebProcess(Process process, BufferedReader output, WebSpec spec, String announced) {
        this.process = process;
        this.output = output;
        this.spec = spec;
        this.announced = announced;
    }

    static WebProcess start(WebSpec spec, String... more) throws IOException {
        var command = java("-Xmx2g", "dev.orbweaver.testkit.TestkitProcess");
        command.addAll(
                List.of(
                        "--seed",
                        Long.toString(spec.seed()),
                        "--hosts",
                        Integer.toString(spec.hosts())));
        command.addAll(List.of("--pages", Integer.toString(spec.pages())));
        command.addAll(List.of("--page-bytes", Integer.toString(spec.meanPageBytes())));
        command.addAll(List.of(more));
        var process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        var output = new BufferedReader(process.inputReader(StandardCharsets.UTF_8));
        return new WebProcess(process, output, spec, output.readLine());
    }

    static ArrayList<String> java(String heap, String main) {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ArrayList<>(
                List.of(
                        java,
                        heap,
                        "-XX:+UseParallelGC",
                        "-XX:+UseCompactObjectHeaders",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        main));
    }

    private String announced(String pattern) {
        var matcher = Pattern.compile(pattern).matcher(announced);
        if (!matcher.find()) {
            throw new IllegalStateException("the simulated web did not start: " + announced);
        }
        return matcher.group(1);
    }

    String hub() {
        return announced("\"hub\":\"([^\"]+)\"");
    }

    String nameServer() {
        return announced("\"dns\":\"([^\"]+)\"");
    }

    GroundTruth truth() {
        var port = Integer.parseInt(announced("\"port\":(\\d+)"));
        var terms =
                CrawlAssumptions.polite(CrawlAssumptions.ANY, FileExtensions.SKIPPED_BY_DEFAULT);
        return GroundTruth.of(SimulatedWeb.of(spec), port, List.of(hub()), terms);
    }

    double cpuSeconds() {
        return process.toHandle()
                .info()
                .totalCpuDuration()
                .map(time -> time.toMillis() / 1000.0)
                .orElse(0.0);
    }

    /** Stops the server and returns its audit, one line of JSON. */
    String audit() throws IOException {
        process.getOutputStream().close();
        return output.readLine();
    }

    @Override
    public void close() {
        process.destroy();
    }
}
