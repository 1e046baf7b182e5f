package dev.orbweaver.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs a simulated web in a separate process, so that it survives crawlers that are killed and is
 * not delayed by busy ones. It prints one line of JSON when it is ready, serves until its standard
 * input ends or it is terminated, and then prints its audit as another line. In between it executes
 * the commands of {@link TestkitControl}, one per line.
 */
public final class TestkitProcess {

    private final SimulatedWeb web;
    private final SimulatedWebServer server;
    private final SimulatedDns dns;

    private TestkitProcess(SimulatedWeb web, SimulatedWebServer server, SimulatedDns dns) {
        this.web = web;
        this.server = server;
        this.dns = dns;
    }

    /** Serves {@link WebSpec#light} with the given seed, hosts and pages. */
    public static void main(String[] args) throws IOException {
        var options = TestkitOptions.parse(args);
        var web = SimulatedWeb.of(options.spec());
        var rules = options.rules();
        try (var server = SimulatedWebServer.start(web, options.settings());
                var dns = SimulatedDns.start(web, options.dnsPort(), Duration.ofMinutes(5))) {
            var reported = new AtomicBoolean();
            Runnable lastWords =
                    () -> {
                        if (reported.compareAndSet(false, true)) {
                            System.out.println(server.auditor().report(rules).json());
                        }
                    };
            Runtime.getRuntime().addShutdownHook(new Thread(lastWords, "lab-last-words"));
            var process = new TestkitProcess(web, server, dns);
            System.out.println(process.readyLine());
            process.serveCommands();
            lastWords.run();
        }
    }

    private String readyLine() {
        return "{\"port\":"
                + server.port()
                + ",\"dns\":\""
                + nameServer()
                + "\",\"hub\":\""
                + web.hubUrl(server.port())
                + "\"}";
    }

    private String nameServer() {
        return "127.0.0.1:" + dns.address().getPort();
    }

    private void serveCommands() throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (var line = in.readLine(); line != null; line = in.readLine()) {
            var values = AuditCodec.values(line);
            reply(values.getFirst(), values.subList(1, values.size())).forEach(System.out::println);
            System.out.flush();
        }
    }

    private List<String> reply(String question, List<String> values) {
        return switch (question) {
            case "port" -> List.of(Integer.toString(server.port()));
            case "prebuild" -> {
                server.prebuild();
                yield List.of(AuditCodec.END);
            }
            case "advance" -> {
                server.advanceTime(Duration.parse(values.getFirst()));
                yield List.of(server.now().toString());
            }
            case "bytes" -> List.of(Long.toString(server.bytesSent()));
            case "requests" -> List.of(Long.toString(server.auditor().requests()));
            case "report" ->
                    withEndLine(
                            AuditCodec.write(server.auditor().report(AuditCodec.rules(values))));
            case "counts" -> withEndLine(AuditCodec.write(server.auditor().requestCounts()));
            case "clear" -> {
                server.auditor().clear();
                yield List.of(AuditCodec.END);
            }
            case "cpu" ->
                    List.of(
                            ProcessHandle.current()
                                    .info()
                                    .totalCpuDuration()
                                    .orElse(Duration.ZERO)
                                    .toString());
            default -> throw new IllegalArgumentException("unknown command: " + question);
        };
    }

    private static List<String> withEndLine(List<String> lines) {
        var all = new ArrayList<>(lines);
        all.add(AuditCodec.END);
        return all;
    }
}
