package dev.orbweaver.internal.config;

import dev.orbweaver.internal.frontier.IntakeLimits;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/** Reads the limits of URLs that match conditions. */
final class MatchLimitReader {

    static final String KEY = "max-urls-matching";

    private static final String EXPECTED =
            "a rule such as 'type:image 1000', '/calendar/ 50' or 'host:.example.com type:video 0'";

    private MatchLimitReader() {}

    static List<IntakeLimits.MatchLimit> read(CheckedValues checked) {
        var limits =
                new UrlRuleReader(checked)
                        .read(KEY, EXPECTED, MatchLimitReader::max).stream()
                                .map(
                                        rule ->
                                                new IntakeLimits.MatchLimit(
                                                        rule.condition().text(),
                                                        rule.condition()::matches,
                                                        rule.value()))
                                .toList();
        var names = new HashSet<String>();
        for (var limit : limits) {
            if (!names.add(limit.name())) {
                checked.addProblem(
                        KEY,
                        "%s: %s has two limits; use one"
                                .formatted(KEY, CheckedValues.quote(limit.name())));
            }
        }
        return limits;
    }

    private static Optional<Long> max(String word) {
        return Quantities.count(word);
    }
}
