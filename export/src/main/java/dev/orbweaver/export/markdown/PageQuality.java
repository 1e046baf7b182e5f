package dev.orbweaver.export.markdown;

import com.google.re2j.Pattern;

import dev.orbweaver.internal.parse.WordIterator;
import dev.orbweaver.model.TextScan;

import java.util.Locale;
import java.util.function.Predicate;

/**
 * Computes a quality score from 0 to 100: up to 50 points for length, 30 for structure, 10 for code
 * and tables, 10 for prose outside links. An error page and an index, which has no text of its own,
 * get a quarter of that. Only a page without text has 0.
 */
final class PageQuality {

    private static final Pattern ERROR_TITLE =
            Pattern.compile(
                    "\\b(?:40[0134]|410|429|50[0234])\\b|not found|page missing|access"
                        + " denied|forbidden|server error|bad gateway|unavailable|just a moment|are"
                        + " you (?:a )?human|attention required|captcha|log ?in\\b|sign ?in\\b");

    private static final Pattern ERROR_TEXT =
            Pattern.compile(
                    "page (?:you (?:requested|are looking for)|cannot be found|does not"
                            + " exist)|could not be found|enable javascript|javascript is"
                            + " (?:required|disabled)|access denied|checking your browser|unusual"
                            + " traffic");

    private static final int SHORT_WORDS = 150;
    private static final int FULL_SCORE_WORDS = 400;

    private PageQuality() {}

    /**
     * @param origin what the URLs of the site begin with
     */
    static int of(String title, String markdown, String origin) {
        var words = words(markdown);
        if (words == 0) {
            return 0;
        }
        var points = 50 * words / FULL_SCORE_WORDS + structure(markdown) + examples(markdown);
        points += (int) Math.round(10 * (1 - linkDensity(markdown)));
        if (linkDensity(markdown) > 0.6) {
            points -= 25;
        }
        var fraction =
                looksLikeError(title, markdown, words) || LinkLines.isIndex(markdown, origin);
        return Math.clamp(fraction ? points / 4 : points, 1, 100);
    }

    private static int words(String markdown) {
        var runs = new WordIterator(markdown);
        var words = 0;
        while (words < FULL_SCORE_WORDS && runs.next(2)) {
            words++;
        }
        return words;
    }

    private static int structure(String markdown) {
        var headings = count(markdown, 4, PageQuality::isHeading);
        var paragraphs = paragraphs(markdown);
        var items = count(markdown, 4, PageQuality::isItem);
        return headings * 3 + paragraphs + items * 2;
    }

    private static int paragraphs(String markdown) {
        var count = 0;
        for (var at = markdown.indexOf("\n\n"); at >= 0 && count < 10; count++) {
            at = markdown.indexOf("\n\n", at + 2);
        }
        return count;
    }

    private static int examples(String markdown) {
        var fences = count(markdown, 2, PageQuality::isFence);
        return Math.min(10, fences * 4 + count(markdown, 1, PageQuality::isTableRule) * 4);
    }

    private static int count(String markdown, int most, Predicate<String> kind) {
        return (int) markdown.lines().filter(kind).limit(most).count();
    }

    private static boolean isHeading(String line) {
        var level = TextScan.endOf(line, 0, c -> c == '#');
        return level > 0 && level <= 6 && line.startsWith(" ", level);
    }

    private static boolean isItem(String line) {
        var start = TextScan.endOf(line, 0, TextScan::isSpace);
        var digits = TextScan.endOf(line, start, TextScan::isDigit);
        return line.startsWith("- ", start) || (digits > start && line.startsWith(". ", digits));
    }

    private static boolean isFence(String line) {
        var start = TextScan.endOf(line, 0, TextScan::isSpace);
        return line.startsWith("```", start) || line.startsWith("> ```", start);
    }

    private static boolean isTableRule(String line) {
        var at = 1;
        while (line.startsWith(" --- |", at)) {
            at += 6;
        }
        return at > 1 && at == line.length() && line.startsWith("|");
    }

    /** Returns the share of the text in links, {@code [text](target)}. */
    private static double linkDensity(String markdown) {
        var linked = 0;
        var marks = 0;
        var open = markdown.indexOf('[');
        while (open >= 0) {
            var close = markdown.indexOf(']', open);
            if (close < 0) {
                break;
            }
            var end = close + 1;
            if (markdown.startsWith("](", close)) {
                end = markdown.indexOf(')', close) + 1;
                if (end == 0) {
                    break; // No later link can end either.
                }
                linked += close - open - 1;
                marks += end - open;
            }
            open = markdown.indexOf('[', end);
        }
        var plain = markdown.length() - marks;
        return (double) linked / Math.max(1, linked + plain);
    }

    private static boolean looksLikeError(String title, String markdown, int words) {
        if (words >= SHORT_WORDS) {
            return false;
        }
        return ERROR_TITLE.matcher(title.toLowerCase(Locale.ROOT)).find()
                || ERROR_TEXT.matcher(markdown.toLowerCase(Locale.ROOT)).find();
    }
}
