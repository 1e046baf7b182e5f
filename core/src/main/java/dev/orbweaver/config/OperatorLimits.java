package dev.orbweaver.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Settings that cost resources where a service runs crawls for others. What its operator has set,
 * or the default, is the most that a job may ask for.
 */
public final class OperatorLimits {

    /** A job may lower these and not raise them. */
    private static final Set<String> BOUNDED =
            Set.of(
                    "body-max",
                    "connections",
                    "connections-per-host",
                    "content-max",
                    "expansion-max",
                    "grace",
                    "head-max",
                    "max-bytes",
                    "max-hosts",
                    "max-pages",
                    "max-time",
                    "max-urls-per-domain",
                    "max-urls-per-host",
                    "patience",
                    "redirects-max",
                    "timeout",
                    "timeout-connect",
                    "timeout-dns",
                    "timeout-first-byte",
                    "timeout-idle",
                    "workers");

    /** A job may set these to anything: how politely and how far it crawls. */
    private static final Set<String> UNRESTRICTED =
            Set.of(
                    "delay",
                    "delay-domain",
                    "delay-factor",
                    "delay-ip",
                    "delay-max",
                    "delay-min",
                    "depth",
                    "error-backoff",
                    "length-max",
                    "max-retry-after",
                    "per-host",
                    "retries",
                    "retry-delay",
                    "trap-budget",
                    "warc-size");

    /** Those of which {@code none} means nothing at all; of all others it means no limit. */
    private static final Set<String> NONE_IS_ZERO = Set.of("grace", "redirects-max");

    private OperatorLimits() {}

    /** Whether a job may lower this setting and not raise it. */
    public static boolean isBounded(String key) {
        return BOUNDED.contains(key);
    }

    /** Whether a job may set this number to anything. */
    public static boolean isUnrestricted(String key) {
        return UNRESTRICTED.contains(key);
    }

    /** Where a job asks for more than its operator allows: a problem for each setting. */
    public static List<Problem> exceeded(CrawlConfig job, CrawlConfig operator) {
        var problems = new ArrayList<Problem>();
        for (var key : new TreeSet<>(BOUNDED)) {
            if (amount(key, job) > amount(key, operator)) {
                var asked = CheckedValues.quote(text(key, job));
                problems.add(
                        new Problem(
                                key,
                                "%s: %s is more than the %s that the operator allows; ask for no more, or start the service with --set %s=%s"
                                        .formatted(
                                                key,
                                                asked,
                                                text(key, operator),
                                                key,
                                                asked.replace("'", ""))));
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
            case "connections" -> connectionLimits.max();
            case "connections-per-host" -> connectionLimits.perEndpoint();
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
            default -> throw new IllegalStateException(key + " is no amount");
        };
    }
}
