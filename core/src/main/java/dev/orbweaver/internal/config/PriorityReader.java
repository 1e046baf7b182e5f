package dev.orbweaver.internal.config;

import dev.orbweaver.internal.scope.PriorityRules;

import java.math.BigDecimal;
import java.util.Optional;

/** Reads the priority rules, whose values are points or {@code weight=N}. */
final class PriorityReader {

    static final String KEY = "priority";

    private static final int POINTS_MAX = 100;
    private static final String WEIGHT = "weight=";
    private static final BigDecimal WEIGHT_MIN = new BigDecimal("0.01");
    private static final BigDecimal WEIGHT_MAX = new BigDecimal("100");
    private static final String EXPECTED =
            "a rule such as '/news/ +20', 'type:image -30', 'host:.example.com type:document +10'"
                    + " or 'type:document weight=3'";

    private record Value(int points, double weight) {}

    private PriorityReader() {}

    static PriorityRules read(CheckedValues checked) {
        return new PriorityRules(
                new UrlRuleReader(checked)
                        .read(KEY, EXPECTED, PriorityReader::value).stream()
                                .map(
                                        rule ->
                                                new PriorityRules.Rule(
                                                        rule.condition(),
                                                        rule.value().points,
                                                        rule.value().weight))
                                .toList());
    }

    private static Optional<Value> value(String word) {
        return word.startsWith(WEIGHT)
                ? weight(word.substring(WEIGHT.length())).map(weight -> new Value(0, weight))
                : points(word).map(points -> new Value(points, 0));
    }

    private static Optional<Double> weight(String word) {
        try {
            return Optional.of(new BigDecimal(word))
                    .filter(it -> it.compareTo(WEIGHT_MIN) >= 0 && it.compareTo(WEIGHT_MAX) <= 0)
                    .map(BigDecimal::doubleValue);
        } catch (NumberFormatException _) {
            return Optional.empty();
        }
    }

    private static Optional<Integer> points(String word) {
        try {
            var points = Integer.parseInt(word);
            return Math.abs(points) <= POINTS_MAX ? Optional.of(points) : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
