package dev.orbweaver.internal.config;

import dev.orbweaver.config.Problem;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Limits that the operator of a service sets on the settings of jobs. The operator's value, or the
 * default, is the maximum that a job may use.
 */
public final class OperatorLimits {

    /** A job may lower these and not raise them. */
    private static final Set<String> BOUNDED =
            Set.of(
                    "max-body",
                    "max-connections",
                    "max-connections-per-host",
                    "max-parse-bytes",
                    "max-decompression-ratio",
                    "stop-grace",
                    "max-header",
                    "max-bytes",
                    "max-hosts",
                    "max-pages",
                    "max-time",
                    "max-urls-per-domain",
                    "max-urls-per-host",
                    "max-idle-wait",
                    "max-redirects",
                    "timeout",
                    "connect-timeout",
                    "dns-timeout",
                    "first-byte-timeout",
                    "idle-timeout",
                    "concurrency");

    /** A job may set these to anything: how politely and how far it crawls. */
    private static final Set<String> UNRESTRICTED =
            Set.of(
                    "delay",
                    "delay-domain",
                    "delay-factor",
                    "delay-ip",
                    "max-delay",
                    "min-delay",
                    "max-depth",
                    "error-backoff",
                    "max-content-length",
                    "max-retry-after",
                    "concurrency-per-host",
                    "max-retries",
                    "retry-delay",
                    "trap-budget",
                    "max-warc-size");

    /** Settings for which {@code none} means 0; for all others it means no limit. */
    private static final Set<String> NONE_IS_ZERO = Set.of("stop-grace", "max-redirects");

    private OperatorLimits() {}

    /** Whether a job may lower this setting and not raise it. */
    public static boolean isBounded(String key) {
        return BOUNDED.contains(key);
    }

    /** Whether a job may set this number to anything. */
    public static boolean isUnrestricted(String key) {
        return UNRESTRICTED.contains(key);
    }

    /** Returns a problem for each setting in which a job exceeds the operator's limit. */
    public static List<Problem> exceeded(CrawlConfig job, CrawlConfig operator) {
        var problems = new ArrayList<Problem>();
        for (var key : new TreeSet<>(BOUNDED)) {
            if (amount(key, job) > amount(key, operator)) {
                var requested = CheckedValues.quote(text(key, job));
                problems.add(
                        new Problem(
                                key,
                                "%s: %s exceeds the operator's limit of %s; use a lower value, or start the service with --set %s=%s"
                                        .formatted(
                                                key,
                                                requested,
                                                text(key, operator),
                                                key,
                                                requested.replace("'", ""))));
            }
        }
        return problems;
    }

    private static String text(String key, CrawlConfig config) {
        return config.settingValues()
                .last(key)
                .orElseGet(() -> Settings.CORE.find(key).orElseThrow().defaultValue())
                .strip();
    }

    private static long amount(String key, CrawlConfig config) {
        var connectionLimits = config.networkSettings().connectionLimits();
        return switch (key) {
            case "max-connections" -> connectionLimits.max();
            case "max-connections-per-host" -> connectionLimits.perEndpoint();
            default -> amount(key, text(key, config));
        };
    }

    private static long amount(String key, String text) {
        if (text.equalsIgnoreCase("none")) {
            return NONE_IS_ZERO.contains(key) ? 0 : Long.MAX_VALUE;
        }
        return switch (Settings.CORE.find(key).orElseThrow().valueType()) {
            case COUNT -> Quantities.count(text).orElseThrow();
            case SIZE -> Quantities.size(text).orElseThrow();
            case DURATION -> Quantities.duration(text).orElseThrow().toMillis();
            default -> throw new IllegalStateException(key + " is not a number");
        };
    }
}
