package dev.orbweaver.parse.markdown;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * How much a page is worth reading, from 0 to 100: its length gives up to 50 points, structure up
 * to 30, code and tables up to 10, prose outside links up to 10; signs of an error page take most
 * of it away again.
 */
final class Quality {

    private static final Pattern GAP = Pattern.compile("\n\n");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} ");
    private static final Pattern ITEM = Pattern.compile("(?m)^\\s*(?:-|\\d+\\.) ");
    private static final Pattern FENCE = Pattern.compile("(?m)^\\s*(?:> )?```");
    private static final Pattern TABLE = Pattern.compile("(?m)^\\|(?: --- \\|)+$");
    private static final Pattern LINK = Pattern.compile("\\[([^\\]]*)]\\([^)]*\\)");
    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}]{2,}");

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
    private static final int WORDS_FOR_ALL = 400;

    private Quality() {}

    static int of(String title, String markdown) {
        var words = (int) WORD.matcher(markdown).results().limit(WORDS_FOR_ALL).count();
        if (words == 0) {
            return 0;
        }
        var points = 50 * words / WORDS_FOR_ALL + structure(markdown) + examples(markdown);
        points += (int) Math.round(10 * (1 - linkShare(markdown)));
        if (linkShare(markdown) > 0.6) {
            points -= 25;
        }
        return Math.clamp(looksLikeError(title, markdown, words) ? points / 4 : points, 0, 100);
    }

    private static int structure(String markdown) {
        var headings = count(HEADING, markdown, 4);
        var paragraphs = Math.min(count(GAP, markdown, 10), 10);
        var items = count(ITEM, markdown, 4);
        return headings * 3 + paragraphs + items * 2;
    }

    private static int examples(String markdown) {
        return Math.min(10, count(FENCE, markdown, 2) * 4 + count(TABLE, markdown, 1) * 4);
    }

    private static double linkShare(String markdown) {
        var linked =
                LINK.matcher(markdown).results().mapToInt(link -> link.group(1).length()).sum();
        var plain = LINK.matcher(markdown).replaceAll("").length();
        return (double) linked / Math.max(1, linked + plain);
    }

    private static boolean looksLikeError(String title, String markdown, int words) {
        if (words >= SHORT_WORDS) {
            return false;
        }
        return ERROR_TITLE.matcher(title.toLowerCase(Locale.ROOT)).find()
                || ERROR_TEXT.matcher(markdown.toLowerCase(Locale.ROOT)).find();
    }

    private static int count(Pattern pattern, String text, int most) {
        return (int) pattern.matcher(text).results().limit(most).count();
    }
}
