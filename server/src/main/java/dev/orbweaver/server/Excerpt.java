package dev.orbweaver.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Selects the part of a page's text in which most words of a search occur. */
final class Excerpt {

    private static final int LENGTH = 240;
    private static final int BEFORE = 60;
    private static final int MATCHES_MAX = 500;
    private static final int WORDS_MAX = 20;

    private Excerpt() {}

    private record Match(int start, String word) {}

    /** Returns the words that a search wants, in lower case; those after a minus are left out. */
    static List<String> words(String search) {
        var words = new ArrayList<String>();
        for (var part : search.split("\\s+", -1)) {
            if (!part.startsWith("-")) {
                for (var word : part.split("[^\\p{L}\\p{N}]+", -1)) {
                    if (!word.isEmpty() && words.size() < WORDS_MAX) {
                        words.add(word.toLowerCase(Locale.ROOT));
                    }
                }
            }
        }
        return words;
    }

    /** Returns about 240 characters around the words; empty if none of them occurs. */
    static String of(String text, List<String> words) {
        if (words.isEmpty()) {
            return "";
        }
        var flat = text.replaceAll("\\s+", " ").strip();
        var pattern =
                words.stream()
                        .map(Pattern::quote)
                        .collect(Collectors.joining("|", "(?iu)(?<![\\p{L}\\p{N}])(?:", ")"));
        var matches =
                Pattern.compile(pattern)
                        .matcher(flat)
                        .results()
                        .limit(MATCHES_MAX)
                        .map(each -> new Match(each.start(), each.group().toLowerCase(Locale.ROOT)))
                        .toList();
        return matches.isEmpty() ? "" : cut(flat, bestStart(matches) - BEFORE);
    }

    /** Returns the start of the first window with the most different words. */
    private static int bestStart(List<Match> matches) {
        var inside = new ArrayDeque<Match>();
        var counts = new HashMap<String, Integer>();
        var best = matches.getFirst().start;
        var most = 0;
        for (var match : matches) {
            inside.add(match);
            counts.merge(match.word, 1, Integer::sum);
            while (match.start - inside.element().start > LENGTH - BEFORE) {
                counts.computeIfPresent(
                        inside.remove().word, (_, count) -> count == 1 ? null : count - 1);
            }
            if (counts.size() > most) {
                most = counts.size();
                best = inside.element().start;
            }
        }
        return best;
    }

    /** Cuts between words, and marks what was left out. */
    private static String cut(String text, int wanted) {
        // A text without spaces is cut anywhere.
        var space = text.lastIndexOf(' ', Math.max(0, wanted));
        var start = wanted - space > BEFORE ? wanted : wanted <= 0 ? 0 : space + 1;
        var last = Math.min(text.length(), start + LENGTH);
        var before = text.lastIndexOf(' ', last);
        var end = last == text.length() || before < start + LENGTH / 2 ? last : before;
        return (start > 0 ? "… " : "")
                + text.substring(start, end).strip()
                + (end < text.length() ? " …" : "");
    }
}
