package dev.orbweaver.cli;

import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.JobHosts;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Formats numbers for display. */
final class Numbers {

    private static final String[] UNITS = {"B", "KB", "MB", "GB", "TB"};

    private static final double SHARE_MIN = .01;
    private static final int PHASES_SHOWN = 5;

    private Numbers() {}

    /** Returns the phases with the largest shares of time; empty if no time was spent. */
    static Optional<String> timeShares(Map<String, Double> seconds) {
        var all = seconds.values().stream().mapToDouble(Double::doubleValue).sum();
        if (all <= 0) {
            return Optional.empty();
        }
        return Optional.of(
                seconds.entrySet().stream()
                        .filter(entry -> entry.getValue() / all >= SHARE_MIN)
                        .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                        .limit(PHASES_SHOWN)
                        .map(
                                entry ->
                                        "%s %.0f %%"
                                                .formatted(
                                                        entry.getKey(),
                                                        100 * entry.getValue() / all))
                        .collect(Collectors.joining(", ")));
    }

    static String count(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    /** Returns a number with its noun, such as "1 URL" or "2 URLs". */
    static String count(long value, String noun) {
        return count(value) + " " + noun + (value == 1 ? "" : "s");
    }

    static String bytes(long value) {
        var amount = (double) value;
        var unit = 0;
        while (amount >= 1024 && unit < UNITS.length - 1) {
            amount /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", amount, UNITS[unit]);
    }

    static String decimal(double value) {
        return String.format(Locale.ROOT, "%,.1f", value);
    }

    static String rate(double perSecond) {
        return String.format(Locale.ROOT, perSecond < 100 ? "%.1f/s" : "%,.0f/s", perSecond);
    }

    static String clock(Duration time) {
        return String.format(
                Locale.ROOT,
                "%d:%02d:%02d",
                time.toHours(),
                time.toMinutesPart(),
                time.toSecondsPart());
    }

    static String shortDuration(Duration time) {
        var millis = time.toMillis();
        if (millis < 10_000) {
            return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
        }
        return millis < 600_000 ? millis / 1000 + " s" : time.toMinutes() + " min";
    }

    static String hosts(FrontierStats.Hosts hosts) {
        return "%s: %d ready, %d busy, %d waiting, %d resting, %d idle"
                .formatted(
                        count(hosts.total()),
                        hosts.ready(),
                        hosts.busy(),
                        hosts.waiting(),
                        hosts.resting(),
                        hosts.idle());
    }

    static <K> String breakdown(Map<K, Long> counts, Function<K, String> name) {
        return counts.isEmpty()
                ? "none"
                : counts.entrySet().stream()
                        .sorted(
                                Comparator.comparingLong((Map.Entry<K, Long> e) -> -e.getValue())
                                        .thenComparing(e -> name.apply(e.getKey())))
                        .map(entry -> name.apply(entry.getKey()) + " " + count(entry.getValue()))
                        .collect(Collectors.joining(", "));
    }

    static String blocked(JobHosts.Host host) {
        return "%s is resting until %s: %s"
                .formatted(
                        host.host(),
                        host.due().map(Instant::toString).orElse("later"),
                        host.restReason().orElse("failed requests"));
    }
}
