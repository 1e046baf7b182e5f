package dev.orbweaver.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** The service in a process of its own, as the launcher starts it, and calls of its API. */
final class ServiceProcess implements AutoCloseable {

    private static final Pattern ADDRESS = Pattern.compile("API at (http://[^/]+)/");
    private static final long SECONDS_TO_END = 60;

    /** A caller may send 50 requests a second. */
    private static final long PAUSE_MILLIS = 25;

    private static final long POLL_MILLIS = 200;

    private final Process process;
    private final String address;
    private final HttpClient client = HttpClient.newHttpClient();

    private ServiceProcess(Process process, String address) {
        this.process = process;
        this.address = address;
    }

    /**
     * Starts the service.
     *
     * @param more further options of {@code serve}
     * @param environment such as {@code JAVA_OPTS}
     */
    static ServiceProcess start(Path data, List<String> more, Map<String, String> environment)
            throws IOException {
        var command =
                new ArrayList<>(
                        List.of(
                                Program.orbweaver(),
                                "serve",
                                "--port",
                                "0",
                                "--allow-private",
                                "--data",
                                data.toString(),
                                "--set",
                                "contact=bench@example.org"));
        command.addAll(more);
        var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        var process = builder.start();
        var line = process.inputReader(UTF_8).readLine();
        var found = ADDRESS.matcher(line == null ? "" : line);
        if (!found.find()) {
            process.destroy();
            throw new IOException("the service did not start: " + line);
        }
        return new ServiceProcess(process, found.group(1));
    }

    private HttpResponse<String> send(HttpRequest.Builder request)
            throws IOException, InterruptedException {
        var response = client.send(request.build(), BodyHandlers.ofString());
        if (response.statusCode() >= 400) {
            throw new IOException(response.request().uri() + ": " + response.body());
        }
        return response;
    }

    String get(String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(URI.create(address + "/api/v1" + path))).body();
    }

    String post(String path, String json) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(address + "/api/v1" + path));
        request.header("Content-Type", "application/json").POST(BodyPublishers.ofString(json));
        return send(request).body();
    }

    /** Returns the milliseconds of a call. */
    double time(String path) throws IOException, InterruptedException {
        Thread.sleep(PAUSE_MILLIS);
        var begun = System.nanoTime();
        var _ = get(path);
        return (System.nanoTime() - begun) / 1e6;
    }

    /** Starts a job with settings such as {@code "delay":"0"}, and returns its number. */
    int submit(List<String> seeds, String settings) throws IOException, InterruptedException {
        var body = "{\"seeds\":[\"%s\"],\"settings\":{%s}}";
        return (int)
                number(post("/jobs", body.formatted(String.join("\",\"", seeds), settings)), "id");
    }

    void awaitEnd(int job) throws IOException, InterruptedException {
        for (var state = "queued"; !state.equals("finished"); ) {
            Thread.sleep(POLL_MILLIS);
            state = text(get("/jobs/" + job), "state");
            if (state.equals("failed") || state.equals("stopped")) {
                throw new IOException("job " + job + " is " + state);
            }
        }
    }

    /** Waits until every page of a job is in the search index. */
    void awaitIndex(int job) throws IOException, InterruptedException {
        while (number(get("/jobs/" + job), "lag") > 0) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    long pages(int job) throws IOException, InterruptedException {
        return number(get("/jobs/" + job), "pages");
    }

    /** Returns the first value of a field with text. */
    static String text(String json, String field) throws IOException {
        var found = Pattern.compile("\"" + field + "\"\\s*:\\s*\"([^\"]*)\"").matcher(json);
        if (!found.find()) {
            throw new IOException("no field " + field + " in " + json);
        }
        return found.group(1);
    }

    /** Returns the first value of a field with a whole number. */
    static long number(String json, String field) throws IOException {
        var found = Pattern.compile("\"" + field + "\"\\s*:\\s*(-?\\d+)").matcher(json);
        if (!found.find()) {
            throw new IOException("no field " + field + " in " + json);
        }
        return Long.parseLong(found.group(1));
    }

    double cpuSeconds() throws IOException {
        return ProcessUsage.cpuSeconds(process.toHandle());
    }

    /** Returns a size from {@code /proc}, such as VmRSS, the resident memory, in bytes. */
    long status(String field) throws IOException {
        var file = Path.of("/proc", Long.toString(process.pid()), "status");
        for (var line : Files.readAllLines(file)) {
            if (line.startsWith(field + ":")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
            }
        }
        throw new IOException("no " + field + " in " + file);
    }

    /** Returns the bytes of all reachable objects, after a full collection. */
    long liveBytes() throws IOException, InterruptedException {
        var output = command("GC.class_histogram");
        var found = Pattern.compile("Total\\s+\\d+\\s+(\\d+)").matcher(output);
        if (!found.find()) {
            throw new IOException("no total in: " + output);
        }
        return Long.parseLong(found.group(1));
    }

    /** Runs a diagnostic command of the JVM. */
    private String command(String name) throws IOException, InterruptedException {
        var tool = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        var running =
                new ProcessBuilder(tool, Long.toString(process.pid()), name)
                        .redirectErrorStream(true)
                        .start();
        var output = new String(running.getInputStream().readAllBytes(), UTF_8);
        if (running.waitFor() != 0) {
            throw new IOException("jcmd failed: " + output);
        }
        return output;
    }

    @Override
    public void close() throws IOException {
        client.close();
        process.destroy();
        try {
            if (!process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
