package dev.orbweaver.server.schedules;

import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/**
 * One field of a cron expression: a list of numbers, names, ranges and steps.
 *
 * @param bits the selected numbers
 * @param isRestricted false if the field begins with {@code *}
 */
record CronField(long bits, boolean isRestricted) {

    private static final List<String> MONTHS =
            List.of(
                    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov",
                    "dec");
    private static final List<String> WEEKDAYS =
            List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat");

    static CronField parse(String name, String text, int least, int most) {
        var bits = 0L;
        for (var part : text.split(",", -1)) {
            bits |= new Part(name, part, least, most).bits();
        }
        return new CronField(bits, !text.startsWith("*"));
    }

    boolean has(int number) {
        return (bits >> number & 1) == 1;
    }

    /** Returns the smallest selected number that is not below {@code from}. */
    OptionalInt next(int from) {
        var rest = from > 63 ? 0 : bits & -1L << from;
        return rest == 0 ? OptionalInt.empty() : OptionalInt.of(Long.numberOfTrailingZeros(rest));
    }

    /** One entry of the list. */
    private record Part(String name, String text, int least, int most) {

        long bits() {
            var slash = text.indexOf('/');
            var range = slash < 0 ? text : text.substring(0, slash);
            var step = slash < 0 ? 1 : number(text.substring(slash + 1));
            if (step < 1) {
                throw invalid("the step must be at least 1");
            }
            var dash = range.indexOf('-');
            if (slash >= 0 && dash < 0 && !range.equals("*")) {
                throw invalid("a step follows * or a range, for example */5 or 0-30/5");
            }
            if (range.equals("*")) {
                return bits(least, most, step);
            }
            return dash < 0
                    ? bits(value(range), value(range), 1)
                    : bits(value(range.substring(0, dash)), value(range.substring(dash + 1)), step);
        }

        private long bits(int first, int last, int step) {
            if (first > last) {
                throw invalid("a range must not end before it begins; write a list instead");
            }
            var bits = 0L;
            for (var number = first; number <= last; number += step) {
                bits |= 1L << number;
            }
            return bits;
        }

        /** Returns a number or the number of a name, in the range of the field. */
        private int value(String word) {
            var lower = word.toLowerCase(Locale.ROOT);
            var named =
                    switch (most) {
                        case 12 -> MONTHS.indexOf(lower) + 1;
                        case 7 -> WEEKDAYS.indexOf(lower);
                        default -> -1;
                    };
            if (named >= least) {
                return named;
            }
            var number = number(word);
            if (number < least || number > most) {
                throw invalid("expected numbers from %d to %d".formatted(least, most));
            }
            return number;
        }

        private int number(String digits) {
            var isNumber =
                    !digits.isEmpty()
                            && digits.length() <= 3
                            && digits.chars().allMatch(sign -> sign >= '0' && sign <= '9');
            if (!isNumber) {
                throw invalid("'%s' is not a number".formatted(digits));
            }
            return Integer.parseInt(digits);
        }

        private IllegalArgumentException invalid(String why) {
            return new IllegalArgumentException(
                    "%s '%s' of cron is invalid: %s".formatted(name, text, why));
        }
    }
}
