package dev.orbweaver.internal.sink;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/**
 * Formats a time like {@link Instant#toString}, at a fifth of the cost for years of four digits.
 */
final class IsoTime {

    private static final long FIRST = Instant.parse("0000-01-01T00:00:00Z").getEpochSecond();
    private static final long LAST = Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();
    private static final int MILLI = 1_000_000;
    private static final int MICRO = 1_000;

    private IsoTime() {}

    static String of(Instant time) {
        var text = new StringBuilder(30);
        append(text, time);
        return text.toString();
    }

    static void append(StringBuilder text, Instant time) {
        var second = time.getEpochSecond();
        if (second < FIRST || second > LAST) {
            text.append(time);
            return;
        }
        var at = LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC);
        digits(text, at.getYear(), 1000);
        digits(text.append('-'), at.getMonthValue(), 10);
        digits(text.append('-'), at.getDayOfMonth(), 10);
        digits(text.append('T'), at.getHour(), 10);
        digits(text.append(':'), at.getMinute(), 10);
        digits(text.append(':'), at.getSecond(), 10);
        fraction(text, time.getNano());
        text.append('Z');
    }

    /** Appends three, six or nine digits, as few as suffice. */
    private static void fraction(StringBuilder text, int nanos) {
        if (nanos == 0) {
            return;
        }
        text.append('.');
        if (nanos % MILLI == 0) {
            digits(text, nanos / MILLI, 100);
        } else if (nanos % MICRO == 0) {
            digits(text, nanos / MICRO, 100_000);
        } else {
            digits(text, nanos, 100_000_000);
        }
    }

    private static void digits(StringBuilder text, int number, int highest) {
        for (var unit = highest; unit > 0; unit /= 10) {
            text.append((char) ('0' + number / unit % 10));
        }
    }
}
