package dev.orbweaver.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The command line of a {@link TestkitProcess}: {@code --name value} pairs with defaults. */
record TestkitOptions(Map<String, String> given) {

    private static final List<String> NAMES =
            List.of(
                    "--seed",
                    "--hosts",
                    "--pages",
                    "--page-bytes",
                    "--size-skew",
                    "--latency-millis",
                    "--quirks",
                    "--hazards",
                    "--without",
                    "--port",
                    "--dns-port",
                    "--threads",
                    "--cache-mb",
                    "--delay-millis",
                    "--delay-ip-millis");

    static TestkitOptions parse(String[] args) {
        var given = new HashMap<String, String>();
        for (var i = 0; i < args.length; i += 2) {
            if (!NAMES.contains(args[i]) || i + 1 == args.length) {
                throw new IllegalArgumentException(
                        args[i]
                                + ": unknown option or missing value; options with a value are: "
                                + String.join(" ", NAMES));
            }
            given.put(args[i], args[i + 1]);
        }
        return new TestkitOptions(given);
    }

    /** Returns the options for a spec. */
    static List<String> of(WebSpec spec) {
        var args = new ArrayList<String>();
        args.addAll(List.of("--seed", Long.toString(spec.seed())));
        args.addAll(List.of("--hosts", Integer.toString(spec.hosts())));
        args.addAll(List.of("--pages", Integer.toString(spec.pages())));
        args.addAll(List.of("--page-bytes", Integer.toString(spec.meanPageBytes())));
        args.addAll(List.of("--size-skew", Double.toString(spec.sizeSkew())));
        args.addAll(List.of("--latency-millis", Integer.toString(spec.latencyMillisMax())));
        args.addAll(List.of("--quirks", names(spec.quirks())));
        args.addAll(List.of("--hazards", names(spec.hazards())));
        return args;
    }

    /** Returns the spec: a light web, changed by the options. */
    WebSpec spec() {
        var light =
                WebSpec.light(
                        Long.parseLong(given.getOrDefault("--seed", "1")),
                        number("--hosts", 200),
                        number("--pages", 20_000));
        return new WebSpec(
                        light.seed(),
                        light.hosts(),
                        light.pages(),
                        number("--page-bytes", light.meanPageBytes()),
                        Double.parseDouble(
                                given.getOrDefault(
                                        "--size-skew", Double.toString(light.sizeSkew()))),
                        number("--latency-millis", light.latencyMillisMax()),
                        constants(Quirk.class, "--quirks", light.quirks()),
                        constants(Hazard.class, "--hazards", Set.of()))
                .without(constants(Quirk.class, "--without", Set.of()).toArray(Quirk[]::new));
    }

    ServerSettings settings() {
        return ServerSettings.defaults()
                .withPort(number("--port", 0))
                .withThreads(number("--threads", 1))
                .withCacheBytesMax((long) number("--cache-mb", 128) << 20);
    }

    int dnsPort() {
        return number("--dns-port", 0);
    }

    /** Returns the rules of the final audit report. */
    AuditRules rules() {
        return AuditRules.of(
                Duration.ofMillis(number("--delay-millis", 0)),
                Duration.ofMillis(number("--delay-ip-millis", 0)));
    }

    private int number(String name, int otherwise) {
        var text = given.get(name);
        return text == null ? otherwise : Integer.parseInt(text);
    }

    /** Parses comma-separated names of constants; empty for none. */
    private <E extends Enum<E>> Set<E> constants(Class<E> type, String name, Set<E> otherwise) {
        var text = given.get(name);
        if (text == null) {
            return otherwise;
        }
        var found = EnumSet.noneOf(type);
        Arrays.stream(text.split(",", -1))
                .filter(word -> !word.isEmpty())
                .forEach(word -> found.add(Enum.valueOf(type, word)));
        return found;
    }

    private static String names(Set<? extends Enum<?>> constants) {
        return constants.stream().map(Enum::name).sorted().collect(Collectors.joining(","));
    }
}
