package dev.orbweaver.internal.parse;

import static dev.orbweaver.internal.parse.ByteScan.isDigit;
import static dev.orbweaver.internal.parse.ByteScan.isSpace;

import java.util.ArrayList;
import java.util.List;

/** "Parse a srcset attribute" (HTML standard, 4.8.4.2.2 "Parsing a srcset attribute"). */
final class Srcset {

    private final String text;
    private final List<String> urls = new ArrayList<>();
    private int at;

    private Srcset(String text) {
        this.text = text;
    }

    /** Returns the URLs of the image candidates with valid descriptors. */
    static List<String> urls(String srcset) {
        var parse = new Srcset(srcset);
        parse.run();
        return parse.urls;
    }

    private void run() {
        while (true) {
            while (at < text.length() && (isSpace(text.charAt(at)) || text.charAt(at) == ',')) {
                at++;
            }
            if (at == text.length()) {
                return;
            }
            candidate();
        }
    }

    private void candidate() {
        var start = at;
        while (at < text.length() && !isSpace(text.charAt(at))) {
            at++;
        }
        var stop = at;
        while (text.charAt(stop - 1) == ',') {
            stop--;
        }
        var url = text.substring(start, stop);
        if (stop < at || areValid(descriptors())) {
            urls.add(url);
        }
    }

    /** Returns the words up to a comma, separated by white space; parentheses protect both. */
    private List<String> descriptors() {
        var words = new ArrayList<String>();
        var word = new StringBuilder();
        var inParentheses = false;
        for (; at < text.length(); at++) {
            var character = text.charAt(at);
            if (inParentheses) {
                word.append(character);
                inParentheses = character != ')';
            } else if (isSpace(character)) {
                finish(word, words);
            } else if (character == ',') {
                at++;
                break;
            } else {
                word.append(character);
                inParentheses = character == '(';
            }
        }
        finish(word, words);
        return words;
    }

    private static void finish(StringBuilder word, List<String> words) {
        if (!word.isEmpty()) {
            words.add(word.toString());
            word.setLength(0);
        }
    }

    private static boolean areValid(List<String> descriptors) {
        var width = false;
        var density = false;
        var height = false;
        for (var descriptor : descriptors) {
            var value = descriptor.substring(0, descriptor.length() - 1);
            switch (descriptor.charAt(descriptor.length() - 1)) {
                case 'w' -> {
                    if (width || density || !isPositive(value)) {
                        return false;
                    }
                    width = true;
                }
                case 'x' -> {
                    if (width || density || height || !isDensity(value)) {
                        return false;
                    }
                    density = true;
                }
                case 'h' -> {
                    if (height || density || !isPositive(value)) {
                        return false;
                    }
                    height = true;
                }
                default -> {
                    return false;
                }
            }
        }
        return !height || width;
    }

    /** Returns whether the text is a valid non-negative integer (2.3.4.2) and not zero. */
    private static boolean isPositive(String number) {
        return !number.isEmpty()
                && number.chars().allMatch(ByteScan::isDigit)
                && number.chars().anyMatch(digit -> digit != '0');
    }

    /** Returns whether the text is a valid floating-point number (2.3.4.3) and not negative. */
    private static boolean isDensity(String number) {
        var negative = number.startsWith("-");
        var index = digits(number, negative ? 1 : 0);
        var digits = index - (negative ? 1 : 0);
        if (index < number.length() && number.charAt(index) == '.') {
            var fraction = digits(number, index + 1);
            if (fraction == index + 1) {
                return false;
            }
            digits += fraction - index - 1;
            index = fraction;
        }
        if (digits == 0) {
            return false;
        }
        var mantissaEnd = index;
        if (index < number.length() && (number.charAt(index) | 0x20) == 'e') {
            index++;
            if (index < number.length() && "+-".indexOf(number.charAt(index)) >= 0) {
                index++;
            }
            var exponent = digits(number, index);
            if (exponent == index) {
                return false;
            }
            index = exponent;
        }
        return index == number.length() && (!negative || isZero(number, mantissaEnd));
    }

    private static boolean isZero(String number, int mantissaEnd) {
        return number.substring(1, mantissaEnd).chars().allMatch(c -> c == '0' || c == '.');
    }

    private static int digits(String text, int from) {
        var index = from;
        while (index < text.length() && isDigit(text.charAt(index))) {
            index++;
        }
        return index;
    }
}
