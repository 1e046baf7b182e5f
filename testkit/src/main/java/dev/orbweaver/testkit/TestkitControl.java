package dev.orbweaver.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Controls a {@link TestkitProcess} and reads its audit. The server is a separate process, so a
 * crawler cannot disturb it, and killing a crawler does not end it.
 *
 * <p>{@link #web} is generated here from the same spec and equals the served one.
 */
public final class TestkitControl implements AutoCloseable {

    private static final long SECONDS_TO_END = 10;

    private final Process process;
    private final BufferedReader out;
    private final PrintStream in;
    private final SimulatedWeb web;
    private final int port;

    private TestkitControl(Process process, SimulatedWeb web) throws IOException {
        this.process = process;
        this.web = web;
        out = process.inputReader(StandardCharsets.UTF_8);
        in = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        // The first line is for users and for programs without this class.
        var _ = line();
        port = request("port", lineSource -> Integer.parseInt(lineSource.next()));
    }

    /**
     * Serves a web in a new process, with the Java and class path of this process.
     *
     * @param options further options of {@link TestkitProcess}
     * @throws IOException if the process does not start or cannot bind its port
     */
    public static TestkitControl start(WebSpec spec, String... options) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-Xmx1g",
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add(TestkitProcess.class.getName());
        command.addAll(TestkitOptions.of(spec));
        command.addAll(List.of(options));
        var process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            return new TestkitControl(process, SimulatedWeb.of(spec));
        } catch (IOException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    public SimulatedWeb web() {
        return web;
    }

    public int port() {
        return port;
    }

    public String hubUrl() {
        return web.hubUrl(port());
    }

    public GroundTruth groundTruth(CrawlAssumptions terms) {
        return GroundTruth.of(web, port(), List.of(hubUrl()), terms);
    }

    /** Generates all responses now instead of at their first request. */
    public void prebuild() throws IOException {
        var _ = request("prebuild", AuditCodec.LineSource::next);
    }

    public long requests() throws IOException {
        return request("requests", lineSource -> Long.parseLong(lineSource.next()));
    }

    /** Advances the web's clock, and returns its time. */
    public Duration advanceTime(Duration time) throws IOException {
        return request("advance\t" + time, lineSource -> Duration.parse(lineSource.next()));
    }

    /** The bytes of all responses so far, heads and bodies. */
    public long bytesSent() throws IOException {
        return request("bytes", lineSource -> Long.parseLong(lineSource.next()));
    }

    public AuditReport report(AuditRules rules) throws IOException {
        return request("report\t" + AuditCodec.rules(rules), AuditCodec::readReport);
    }

    /** Returns the number of requests for each URL, with any response. */
    public Map<String, Integer> requestCounts() throws IOException {
        return request("counts", AuditCodec::readCounts);
    }

    /** Discards the audit records, between two crawls. */
    public void clear() throws IOException {
        var _ = request("clear", AuditCodec.LineSource::next);
    }

    public Duration cpuTime() throws IOException {
        return request("cpu", lineSource -> Duration.parse(lineSource.next()));
    }

    public ProcessHandle process() {
        return process.toHandle();
    }

    @Override
    public void close() {
        in.close();
        try {
            if (!process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** Sends a command and reads its reply; one command at a time. */
    private synchronized <T> T request(String question, ReplyReader<T> reader) throws IOException {
        in.println(question);
        return reader.read(this::line);
    }

    private String line() throws IOException {
        var line = out.readLine();
        if (line == null) {
            throw new IOException("the server has ended");
        }
        return line;
    }

    @FunctionalInterface
    private interface ReplyReader<T> {
        T read(AuditCodec.LineSource lineSource) throws IOException;
    }
}
