package dev.orbweaver.model;

import java.util.ArrayList;
import java.util.List;

/**
 * Scans text from the network in linear time. {@code java.util.regex} backtracks, which can take
 * unbounded time and a stack frame per repetition.
 */
public final class TextScan {

    private TextScan() {}

    @FunctionalInterface
    public interface CharTest {
        boolean test(char c);
    }

    public static boolean isSpace(char c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }

    public static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    public static boolean isAlphanumeric(char c) {
        return isDigit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    }

    /**
     * Returns whether the text consists of ASCII digits only, at least one and at most {@code
     * digitsMax}.
     */
    public static boolean isNumber(String text, int digitsMax) {
        return !text.isEmpty()
                && text.length() <= digitsMax
                && endOf(text, 0, TextScan::isDigit) == text.length();
    }

    /**
     * Returns the end of the run of matching characters that begins at an index; the index itself
     * if there is none.
     */
    public static int endOf(String text, int from, CharTest test) {
        var at = from;
        while (at < text.length() && test.test(text.charAt(at))) {
            at++;
        }
        return at;
    }

    /** Replaces each run of matching characters with one other character. */
    public static String collapse(String text, CharTest test, char by) {
        var out = new StringBuilder(text.length());
        for (var at = 0; at < text.length(); ) {
            var end = endOf(text, at, test);
            if (end > at) {
                out.append(by);
                at = end;
            } else {
                out.append(text.charAt(at++));
            }
        }
        return out.toString();
    }

    /** Returns the runs of matching characters. */
    public static List<String> runs(String text, CharTest test) {
        var runs = new ArrayList<String>();
        for (var at = 0; at < text.length(); at++) {
            var end = endOf(text, at, test);
            if (end > at) {
                runs.add(text.substring(at, end));
                at = end;
            }
        }
        return runs;
    }

    /** Returns the words separated by white space; none of them is empty. */
    public static List<String> words(String text) {
        return runs(text, c -> !isSpace(c));
    }
}
