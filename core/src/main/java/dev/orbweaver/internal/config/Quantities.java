package dev.orbweaver.internal.config;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Parses durations, sizes and counts such as {@code 500ms}, {@code 20MB} and {@code 100}. */
public final class Quantities {

    private static final Map<String, Long> NANOS =
            Map.of(
                    "ms", 1_000_000L,
                    "s", 1_000_000_000L,
                    "m", 60_000_000_000L,
                    "h", 3_600_000_000_000L,
                    "d", 86_400_000_000_000L,
                    "", 1_000_000_000L);

    private static final Map<String, Long> BYTES =
            Map.of("", 1L, "b", 1L, "kb", 1L << 10, "mb", 1L << 20, "gb", 1L << 30, "tb", 1L << 40);

    private static final String NUMBER = "0123456789.";
    private static final int DIGITS_MAX = 20;

    /** The largest accepted factor. */
    static final int FACTOR_MAX = 1000;

    /** Numbers with fewer digits than this always fit into a long. */
    private static final int LONG_DIGITS = 19;

    private Quantities() {}

    /** Parses {@code 500ms}, {@code 2s}, {@code 5m}, {@code 1h}; a bare number is seconds. */
    public static Optional<Duration> duration(String text) {
        return quantity(text, NANOS).map(Duration::ofNanos);
    }

    /** Parses {@code 100KB}, {@code 20MB}, {@code 1GB}, {@code 1TB}; a bare number is bytes. */
    public static Optional<Long> size(String text) {
        return quantity(text, BYTES);
    }

    public static Optional<Long> count(String text) {
        var digits =
                !text.isEmpty()
                        && text.length() < LONG_DIGITS
                        && text.chars().allMatch(c -> c >= '0' && c <= '9');
        return digits ? Optional.of(Long.parseLong(text)) : Optional.empty();
    }

    /** Parses {@code 2} or {@code 0.5}. */
    public static Optional<Double> factor(String text) {
        var plain =
                !text.isEmpty()
                        && text.length() <= DIGITS_MAX
                        && text.chars().allMatch(c -> NUMBER.indexOf(c) >= 0);
        try {
            return plain
                    ? Optional.of(new BigDecimal(text).doubleValue())
                            .filter(number -> number <= FACTOR_MAX)
                    : Optional.empty();
        } catch (NumberFormatException notANumber) {
            return Optional.empty();
        }
    }

    private static Optional<Long> quantity(String text, Map<String, Long> units) {
        var trimmed = text.strip().toLowerCase(Locale.ROOT);
        var split = 0;
        while (split < trimmed.length() && NUMBER.indexOf(trimmed.charAt(split)) >= 0) {
            split++;
        }
        var number = trimmed.substring(0, split);
        return Optional.ofNullable(units.get(trimmed.substring(split).strip()))
                .flatMap(factor -> multiply(number, factor));
    }

    private static Optional<Long> multiply(String number, long factor) {
        if (number.length() > DIGITS_MAX) {
            return Optional.empty();
        }
        try {
            var product = new BigDecimal(number).multiply(BigDecimal.valueOf(factor));
            return Optional.of(product.longValueExact());
        } catch (ArithmeticException | NumberFormatException notAQuantity) {
            return Optional.empty();
        }
    }
}
