package dev.orbweaver.internal.robots;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The Content-Usage and Content-Signal lines of one group. A line may start with a path, and then
 * applies to URLs that the path would match in an Allow line (draft-ietf-aipref-attach, section 4).
 * The longest matching path applies, and of several lines with paths of that length the strictest.
 * The two kinds of lines are evaluated separately, and again the strictest applies.
 */
final class UsageRules {

    static final UsageRules NONE = new UsageRules();

    /** Further lines are ignored, because each line is evaluated for each page. */
    private static final int RULES_MAX = 200;

    private static final byte[] EVERYTHING = "/".getBytes(StandardCharsets.US_ASCII);

    private final List<Rule> rules = new ArrayList<>();

    private record Rule(
            RuleTable path, int length, boolean signal, Set<Directive> denied, int line) {}

    void add(int line, boolean signal, byte[] bytes, int start, int end) {
        if (rules.size() >= RULES_MAX || start >= end) {
            return;
        }
        var path = start;
        while (bytes[start] == '/' && path < end && !RobotsLines.isSpace(bytes[path])) {
            path++;
        }
        var pattern = path == start ? EVERYTHING : RobotsPath.ofPattern(bytes, start, path);
        var statement = new String(bytes, path, end - path, StandardCharsets.ISO_8859_1);
        rules.add(
                new Rule(
                        new RuleTable(List.of(new RuleTable.Rule(pattern, true, line))),
                        pattern.length,
                        signal,
                        UsagePreference.denied(statement),
                        line));
    }

    boolean isEmpty() {
        return rules.isEmpty();
    }

    /** Returns the approximate memory use. */
    long memoryBytes() {
        return rules.stream().mapToLong(rule -> rule.length + 300L).sum();
    }

    RobotsRules.Usage evaluate(String pathAndQuery) {
        var path = RobotsPath.ofPath(pathAndQuery);
        var usage = evaluate(path, false);
        var signal = evaluate(path, true);
        var denied = EnumSet.noneOf(Directive.class);
        denied.addAll(usage.denied());
        denied.addAll(signal.denied());
        return new RobotsRules.Usage(
                denied, usage.denied().isEmpty() ? signal.line() : usage.line());
    }

    private RobotsRules.Usage evaluate(byte[] path, boolean signal) {
        var longest = 0;
        var line = 0;
        var denied = EnumSet.noneOf(Directive.class);
        for (var rule : rules) {
            if (rule.signal == signal
                    && rule.length >= longest
                    && rule.path.decidingRule(path) >= 0) {
                if (rule.length > longest) {
                    denied.clear();
                    line = rule.line;
                }
                longest = rule.length;
                denied.addAll(rule.denied);
            }
        }
        return new RobotsRules.Usage(denied, line);
    }
}
