package dev.orbweaver.lab;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A simulated web in a process of its own, so that it outlives crawlers that are killed. It prints
 * one line of JSON when it is ready, serves until its standard input ends or it is told to
 * terminate, then prints what its auditor saw as another line.
 */
public final class LabProcess {

    private static final List<String> OPTIONS =
            List.of(
                    "--seed",
                    "--hosts",
                    "--pages",
                    "--page-bytes",
                    "--without",
                    "--port",
                    "--dns-port",
                    "--delay-millis",
                    "--delay-ip-millis");

    private LabProcess() {}

    /** Serves {@link WebSpec#light} with the seed, hosts and pages that are given. */
    public static void main(String[] args) throws IOException {
        var options = parse(args);
        var spec =
                WebSpec.light(
                                Long.parseLong(options.getOrDefault("--seed", "1")),
                                number(options, "--hosts", 200),
                                number(options, "--pages", 20_000))
                        .withMeanPageBytes(number(options, "--page-bytes", 4_096))
                        .without(quirks(options.getOrDefault("--without", "")));
        var rules =
                AuditRules.of(
                        Duration.ofMillis(number(options, "--delay-millis", 0)),
                        Duration.ofMillis(number(options, "--delay-ip-millis", 0)));
        var web = SimulatedWeb.of(spec);
        var settings = ServerSettings.defaults().withPort(number(options, "--port", 0));
        try (var server = LabServer.start(web, settings);
                var dns =
                        LabDns.start(
                                web, number(options, "--dns-port", 0), Duration.ofMinutes(5))) {
            var told = new AtomicBoolean();
            Runnable lastWords =
                    () -> {
                        if (told.compareAndSet(false, true)) {
                            System.out.println(server.auditor().report(rules).json());
                        }
                    };
            Runtime.getRuntime().addShutdownHook(new Thread(lastWords, "lab-last-words"));
            System.out.println(ready(web, server, dns));
            untilEnd(System.in);
            lastWords.run();
        }
    }

    private static String ready(SimulatedWeb web, LabServer server, LabDns dns) {
        return "{\"port\":"
                + server.port()
                + ",\"dns\":\"127.0.0.1:"
                + dns.address().getPort()
                + "\",\"hub\":\""
                + web.hubUrl(server.port())
                + "\"}";
    }

    private static void untilEnd(InputStream in) throws IOException {
        while (in.read() >= 0) {
            // What is said is of no interest, only that somebody is still there to say it.
        }
    }

    private static Map<String, String> parse(String[] args) {
        var options = new HashMap<String, String>();
        for (var i = 0; i < args.length; i += 2) {
            if (!OPTIONS.contains(args[i]) || i + 1 == args.length) {
                throw new IllegalArgumentException(
                        args[i] + ": each of these takes a value: " + String.join(" ", OPTIONS));
            }
            options.put(args[i], args[i + 1]);
        }
        return options;
    }

    /** Names as in {@link Quirk}, with commas between them. */
    private static Quirk[] quirks(String names) {
        return names.isEmpty()
                ? new Quirk[0]
                : Arrays.stream(names.split(",", -1)).map(Quirk::valueOf).toArray(Quirk[]::new);
    }

    private static int number(Map<String, String> options, String name, int otherwise) {
        var given = options.get(name);
        return given == null ? otherwise : Integer.parseInt(given);
    }
}
