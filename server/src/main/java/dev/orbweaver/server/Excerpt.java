package dev.orbweaver.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.StringTokenizer;

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
        var parts = new StringTokenizer(search);
        while (parts.hasMoreTokens()) {
            var part = parts.nextToken();
            if (!part.startsWith("-")) {
                addWords(part, words);
            }
        }
        return words;
    }

    private static void addWords(String part, List<String> words) {
        var start = 0;
        while (start < part.length() && words.size() < WORDS_MAX) {
            var end = start;
            while (end < part.length() && Character.isLetterOrDigit(part.charAt(end))) {
                end++;
            }
            if (end > start) {
                words.add(part.substring(start, end).toLowerCase(Locale.ROOT));
            }
            start = end + 1;
        }
    }

    /** Returns about 240 characters around the words; empty if none of them occurs. */
    static String of(String text, List<String> words) {
        if (words.isEmpty()) {
            return "";
        }
        var flat = flat(text);
        var matches = matches(flat, words);
        return matches.isEmpty() ? "" : cut(flat, bestStart(matches) - BEFORE);
    }

    /** Returns the text with one space for each run of white space. */
    private static String flat(String text) {
        var flat = new StringBuilder(text.length());
        var parts = new StringTokenizer(text);
        while (parts.hasMoreTokens()) {
            flat.append(flat.isEmpty() ? "" : " ").append(parts.nextToken());
        }
        return flat.toString();
    }

    /** Finds the words where words of the text begin, ignoring case. */
    private static List<Match> matches(String text, List<String> words) {
        var matches = new ArrayList<Match>();
        for (var at = 0; at < text.length() && matches.size() < MATCHES_MAX; at++) {
            if (at > 0 && Character.isLetterOrDigit(text.charAt(at - 1))) {
                continue;
            }
            for (var word : words) {
                if (text.regionMatches(true, at, word, 0, word.length())) {
                    matches.add(new Match(at, word));
                    break;
                }
            }
        }
        return matches;
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
