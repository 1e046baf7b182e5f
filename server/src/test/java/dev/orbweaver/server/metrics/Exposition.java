package dev.orbweaver.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Metrics in the Prometheus text format, parsed and checked by its rules. */
public final class Exposition {

    private static final Pattern SAMPLE =
            Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{.*})? ([^ ]+)");
    private static final Pattern LABELS =
            Pattern.compile("\\{([a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\\n]|\\\\[\\\\n\"])*\",?)*}");

    private final String text;
    private final Map<String, String> types = new HashMap<>();
    private final Map<String, Double> samples = new TreeMap<>();

    /** Parses the text; problems of its form are failures. */
    public Exposition(String text) {
        this.text = text;
        var finished = new HashSet<String>();
        var helps = new HashSet<String>();
        var current = "";
        assertThat(text).endsWith("\n");
        for (var line : text.lines().toList()) {
            var words = line.split(" ", 4);
            String family;
            if (line.startsWith("# HELP ")) {
                assertThat(words).as(line).hasSize(4);
                family = words[2];
                assertThat(helps.add(family)).as("a second help text of %s", family).isTrue();
            } else if (line.startsWith("# TYPE ")) {
                family = words[2];
                assertThat(types.put(family, words[3])).as("a second type of %s", family).isNull();
                assertThat(helps).as("help text before the type").contains(family);
            } else {
                var sample = SAMPLE.matcher(line);
                assertThat(sample.matches()).as(line).isTrue();
                var labels = Optional.ofNullable(sample.group(2)).orElse("");
                assertThat(labels.isEmpty() || LABELS.matcher(labels).matches()).as(line).isTrue();
                family = family(sample.group(1));
                assertThat(types).as(line).containsKey(family);
                var key = sample.group(1) + labels;
                assertThat(samples.put(key, number(sample.group(3)))).as("twice: %s", key).isNull();
            }
            if (!family.equals(current)) {
                assertThat(finished.add(family)).as("%s is in two places", family).isTrue();
                current = family;
            }
        }
        types.forEach(this::checkFamily);
    }

    private static double number(String text) {
        return text.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(text);
    }

    private String family(String name) {
        for (var suffix : List.of("_bucket", "_sum", "_count")) {
            var base = name.substring(0, Math.max(0, name.length() - suffix.length()));
            if (name.endsWith(suffix)
                    && List.of("histogram", "summary").contains(types.getOrDefault(base, ""))) {
                return base;
            }
        }
        return name;
    }

    private void checkFamily(String family, String type) {
        assertThat(family.endsWith("_total")).as(family).isEqualTo(type.equals("counter"));
        if (type.equals("counter")) {
            assertThat(of(family).values()).as(family).allMatch(value -> value >= 0);
        }
        if (type.equals("histogram")) {
            of(family + "_count").forEach((labels, count) -> checkBuckets(family, labels, count));
        }
    }

    private void checkBuckets(String family, String labels, double count) {
        var own = labels.isEmpty() ? "{" : labels.substring(0, labels.length() - 1) + ",";
        var buckets = new ArrayList<Double>();
        text.lines()
                .filter(line -> line.startsWith(family + "_bucket" + own + "le="))
                .forEach(line -> buckets.add(number(line.substring(line.lastIndexOf(' ') + 1))));
        assertThat(buckets).as(family + labels).isSorted().last().isEqualTo(count);
        assertThat(samples).containsKey(family + "_bucket" + own + "le=\"+Inf\"}");
    }

    /** Returns the values of a metric by its labels. */
    public Map<String, Double> of(String name) {
        var found = new TreeMap<String, Double>();
        samples.forEach(
                (key, value) -> {
                    var brace = key.indexOf('{');
                    if (key.substring(0, brace < 0 ? key.length() : brace).equals(name)) {
                        found.put(brace < 0 ? "" : key.substring(brace), value);
                    }
                });
        return found;
    }

    /** Returns the value of a metric with labels such as {@code {state="idle"}}. */
    public double value(String key) {
        var value = samples.get(key);
        assertThat(value).as("%s in %s", key, samples.keySet()).isNotNull();
        return Objects.requireNonNull(value);
    }

    /** Returns the names of all metrics, as queries use them. */
    public Set<String> names() {
        var names = new HashSet<String>();
        samples.keySet().forEach(key -> names.add(key.replaceFirst("\\{.*", "")));
        return names;
    }

    /** Returns the values of all counters by name and labels. */
    public Map<String, Double> counters() {
        var counters = new TreeMap<String, Double>();
        samples.forEach(
                (key, value) -> {
                    var name = key.replaceFirst("\\{.*", "");
                    if (name.matches(".*_(total|count|sum|bucket)")) {
                        counters.put(key, value);
                    }
                });
        return counters;
    }

    /** Returns what {@code promtool check metrics} reports; skips the test if it is missing. */
    public String promtool(Path directory) throws IOException, InterruptedException {
        var input = Files.writeString(directory.resolve("metrics"), text);
        return promtool(directory, Optional.of(input), "check", "metrics");
    }

    /** Returns what a check of a file reports; skips the test if promtool is missing. */
    static String promtool(Path directory, String command, String what, Path file)
            throws IOException, InterruptedException {
        return promtool(directory, Optional.empty(), command, what, file.toString());
    }

    private static String promtool(Path directory, Optional<Path> input, String... arguments)
            throws IOException, InterruptedException {
        var tool =
                Stream.of(System.getenv().getOrDefault("PATH", "").split(":", -1))
                        .map(place -> Path.of(place, "promtool"))
                        .filter(Files::isExecutable)
                        .findFirst();
        assumeTrue(
                tool.isPresent(),
                "promtool is not on the PATH; it is in the package prometheus of Debian");
        var output = directory.resolve("promtool");
        var words = new ArrayList<>(List.of(arguments));
        words.addFirst(tool.orElseThrow().toString());
        var builder =
                new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(output.toFile());
        input.ifPresent(file -> builder.redirectInput(file.toFile()));
        var process = builder.start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return Files.readString(output);
    }
}
