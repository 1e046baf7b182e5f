package dev.orbweaver.internal.config;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

import dev.orbweaver.internal.scope.PriorityRules;
import dev.orbweaver.model.HostPattern;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** Reads the priority rules: {@code [type:TYPE] [host:HOST] [REGEX] POINTS}. */
final class PriorityReader {

    static final String KEY = "priority";

    private static final int RULES_MAX = 100;
    private static final int PATTERN_MAX = 1000;
    private static final int POINTS_MAX = 100;
    private static final String TYPE = "type:";
    private static final String HOST = "host:";
    private static final String EXPECTED =
            "a rule such as '/news/ +20', 'type:image -30' or 'host:.example.com type:document"
                    + " +10'";

    private final CheckedValues checked;

    PriorityReader(CheckedValues checked) {
        this.checked = checked;
    }

    PriorityRules read() {
        var texts = checked.list(KEY);
        if (texts.size() > RULES_MAX) {
            checked.addProblem(KEY, KEY + ": at most " + RULES_MAX + " rules are allowed");
            return PriorityRules.NONE;
        }
        var rules = new ArrayList<PriorityRules.Rule>();
        texts.forEach(text -> rule(text).ifPresent(rules::add));
        return new PriorityRules(rules);
    }

    private Optional<PriorityRules.Rule> rule(String text) {
        var words = Arrays.asList(text.strip().split(" +", -1));
        var points = points(words.getLast());
        Optional<PriorityRules.FileType> type = Optional.empty();
        Optional<HostPattern> host = Optional.empty();
        Optional<Pattern> pattern = Optional.empty();
        var valid = points.isPresent() && words.size() > 1;
        for (var word : words.subList(0, words.size() - 1)) {
            if (word.startsWith(TYPE) && type.isEmpty()) {
                type = type(word.substring(TYPE.length()));
                valid &= type.isPresent();
            } else if (word.startsWith(HOST) && host.isEmpty()) {
                host = ExclusionList.pattern(word.substring(HOST.length()));
                valid &= host.isPresent();
            } else {
                valid &= pattern.isEmpty();
                pattern = pattern(word);
                valid &= pattern.isPresent();
            }
        }
        if (!valid) {
            checked.addInvalid(KEY, text, EXPECTED + "; types are " + types());
            return Optional.empty();
        }
        return Optional.of(new PriorityRules.Rule(type, host, pattern, points.get()));
    }

    private static Optional<Integer> points(String word) {
        try {
            var points = Integer.parseInt(word);
            return Math.abs(points) <= POINTS_MAX ? Optional.of(points) : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Optional<PriorityRules.FileType> type(String word) {
        return Arrays.stream(PriorityRules.FileType.values())
                .filter(type -> type.id().equals(word))
                .findFirst();
    }

    private static String types() {
        return Arrays.stream(PriorityRules.FileType.values())
                .map(PriorityRules.FileType::id)
                .collect(Collectors.joining(", "));
    }

    private static Optional<Pattern> pattern(String word) {
        if (word.isEmpty()
                || word.length() > PATTERN_MAX
                || PatternSize.of(word) > ConfigReader.INSTRUCTIONS_MAX / RULES_MAX) {
            return Optional.empty();
        }
        try {
            return Optional.of(Pattern.compile(word));
        } catch (PatternSyntaxException e) {
            return Optional.empty();
        }
    }
}
