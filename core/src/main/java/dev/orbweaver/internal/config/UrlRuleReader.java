package dev.orbweaver.internal.config;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

import dev.orbweaver.internal.scope.UrlCondition;
import dev.orbweaver.internal.scope.UrlCondition.FileType;
import dev.orbweaver.model.HostPattern;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Reads rules for URLs: {@code [type:TYPE] [host:HOST] [REGEX] VALUE}. */
final class UrlRuleReader {

    record UrlRule<V>(UrlCondition condition, V value) {}

    private static final int RULES_MAX = 100;
    private static final int PATTERN_MAX = 1000;

    private final CheckedValues checked;

    UrlRuleReader(CheckedValues checked) {
        this.checked = checked;
    }

    /**
     * Reads the rules of a setting.
     *
     * @param expected an example, for the problem of a wrong rule
     * @param readValue reads the last word of a rule; empty if it is wrong
     */
    <V> List<UrlRule<V>> read(
            String key, String expected, Function<String, Optional<V>> readValue) {
        var texts = checked.list(key);
        if (texts.size() > RULES_MAX) {
            checked.addProblem(key, key + ": at most " + RULES_MAX + " rules are allowed");
            return List.of();
        }
        var rules = new ArrayList<UrlRule<V>>();
        for (var text : texts) {
            var words = Arrays.asList(text.strip().split(" +", -1));
            var value = readValue.apply(words.getLast());
            var condition = condition(words.subList(0, words.size() - 1));
            if (value.isPresent() && condition.isPresent()) {
                rules.add(new UrlRule<>(condition.get(), value.get()));
            } else {
                checked.addInvalid(key, text, expected + "; types are " + types());
            }
        }
        return rules;
    }

    private static Optional<UrlCondition> condition(List<String> words) {
        Optional<FileType> type = Optional.empty();
        Optional<HostPattern> host = Optional.empty();
        Optional<Pattern> pattern = Optional.empty();
        var valid = !words.isEmpty();
        for (var word : words) {
            if (word.startsWith(UrlCondition.TYPE) && type.isEmpty()) {
                type = type(word.substring(UrlCondition.TYPE.length()));
                valid &= type.isPresent();
            } else if (word.startsWith(UrlCondition.HOST) && host.isEmpty()) {
                host = ExclusionList.pattern(word.substring(UrlCondition.HOST.length()));
                valid &= host.isPresent();
            } else {
                valid &= pattern.isEmpty();
                pattern = pattern(word);
                valid &= pattern.isPresent();
            }
        }
        return valid ? Optional.of(new UrlCondition(type, host, pattern)) : Optional.empty();
    }

    private static Optional<FileType> type(String word) {
        return Arrays.stream(FileType.values()).filter(type -> type.id().equals(word)).findFirst();
    }

    private static String types() {
        return Arrays.stream(FileType.values()).map(FileType::id).collect(Collectors.joining(", "));
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
