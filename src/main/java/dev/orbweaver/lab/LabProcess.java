package dev.orbweaver.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A simulated web in a process of its own, so that it outlives crawlers that are killed and is not
 * held up by those that are busy. It prints one line of JSON when it is ready, serves until its
 * standard input ends or it is told to terminate, then prints what its auditor saw as another line.
 * In between it answers the questions that {@link LabControl} asks, a line each.
 */
public final class LabProcess {

    private final SimulatedWeb web;
    private final LabServer server;
    private final LabDns dns;

    private LabProcess(SimulatedWeb web, LabServer server, LabDns dns) {
        this.web = web;
        this.server = server;
        this.dns = dns;
    }

    /** Serves {@link WebSpec#light} with the seed, hosts and pages that are given. */
    public static void main(String[] args) throws IOException {
        var options = LabOptions.parse(args);
        var web = SimulatedWeb.of(options.spec());
        var rules = options.rules();
        try (var server = LabServer.start(web, options.settings());
                var dns = LabDns.start(web, options.dnsPort(), Duration.ofMinutes(5))) {
            var told = new AtomicBoolean();
            Runnable lastWords =
                    () -> {
                        if (told.compareAndSet(false, true)) {
                            System.out.println(server.auditor().report(rules).json());
                        }
                    };
            Runtime.getRuntime().addShutdownHook(new Thread(lastWords, "lab-last-words"));
            var process = new LabProcess(web, server, dns);
            System.out.println(process.ready());
            process.answerUntilTheInputEnds();
            lastWords.run();
        }
    }

    private String ready() {
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

    private void answerUntilTheInputEnds() throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (var line = in.readLine(); line != null; line = in.readLine()) {
            var values = AuditText.values(line);
            answer(values.getFirst(), values.subList(1, values.size()))
                    .forEach(System.out::println);
            System.out.flush();
        }
    }

    private List<String> answer(String question, List<String> values) {
        return switch (question) {
            case "where" -> List.of(server.port() + "\t" + nameServer());
            case "requests" -> List.of(Long.toString(server.auditor().requests()));
            case "report" ->
                    ended(AuditText.write(server.auditor().report(AuditText.rules(values))));
            case "counts" -> ended(AuditText.write(server.auditor().counts()));
            case "clear" -> {
                server.auditor().clear();
                yield List.of(AuditText.END);
            }
            case "cpu" ->
                    List.of(
                            ProcessHandle.current()
                                    .info()
                                    .totalCpuDuration()
                                    .orElse(Duration.ZERO)
                                    .toString());
            default -> throw new IllegalArgumentException("nobody can answer " + question);
        };
    }

    private static List<String> ended(List<String> lines) {
        var all = new ArrayList<>(lines);
        all.add(AuditText.END);
        return all;
    }
}
