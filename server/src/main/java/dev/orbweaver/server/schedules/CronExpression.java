package dev.orbweaver.server.schedules;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A cron expression of five fields, as crontab(5) defines them: minute, hour, day of the month,
 * month and day of the week. It selects local times to the minute and has no time zone.
 *
 * <p>If both the day of the month and the day of the week are restricted, a day that matches either
 * is selected. A field that begins with {@code *} is not a restriction, also {@code *}{@code /2}.
 */
final class CronExpression {

    private static final int TEXT_MAX = 200;

    /**
     * How far the search for the next time goes. The longest distance between two matches is 40
     * years: 29 February on a given day of the week, over a century without a leap year.
     */
    private static final int SEARCH_YEARS = 50;

    private static final Map<String, String> MACROS =
            Map.of(
                    "@yearly", "0 0 1 1 *",
                    "@annually", "0 0 1 1 *",
                    "@monthly", "0 0 1 * *",
                    "@weekly", "0 0 * * 0",
                    "@daily", "0 0 * * *",
                    "@midnight", "0 0 * * *",
                    "@hourly", "0 * * * *");

    private final String text;
    private final CronField minutes;
    private final CronField hours;
    private final CronField days;
    private final CronField months;
    private final CronField weekdays;

    private CronExpression(String text, String[] fields) {
        this.text = text;
        this.minutes = CronField.parse("minute", fields[0], 0, 59);
        this.hours = CronField.parse("hour", fields[1], 0, 23);
        this.days = CronField.parse("day of the month", fields[2], 1, 31);
        this.months = CronField.parse("month", fields[3], 1, 12);
        this.weekdays = CronField.parse("day of the week", fields[4], 0, 7);
    }

    /**
     * Parses an expression or a macro such as {@code @daily}.
     *
     * @throws IllegalArgumentException if the text is invalid or selects no time
     */
    @JsonCreator
    static CronExpression parse(String text) {
        if (text.length() > TEXT_MAX) {
            throw new IllegalArgumentException(
                    "a cron expression must have at most " + TEXT_MAX + " characters");
        }
        var plain = text.replace('\t', ' ').strip();
        while (plain.contains("  ")) {
            plain = plain.replace("  ", " ");
        }
        var fields = expanded(plain).split(" ", -1);
        if (fields.length != 5) {
            throw new IllegalArgumentException(
                    "cron must have five fields (minute, hour, day of the month, month, day of the"
                            + " week) such as '30 4 * * mon', not '%s'".formatted(text));
        }
        var expression = new CronExpression(plain, fields);
        if (expression.next(LocalDateTime.of(2000, 1, 1, 0, 0)).isEmpty()) {
            throw new IllegalArgumentException(
                    "cron '%s' selects no day that exists".formatted(text));
        }
        return expression;
    }

    private static String expanded(String plain) {
        if (!plain.startsWith("@")) {
            return plain;
        }
        var fields = MACROS.get(plain.toLowerCase(Locale.ROOT));
        if (fields == null) {
            throw new IllegalArgumentException(
                    "unknown cron macro '%s'; expected @yearly, @monthly, @weekly, @daily or @hourly"
                            .formatted(plain));
        }
        return fields;
    }

    /** Returns the first selected time that is not before {@code from}. */
    Optional<LocalDateTime> next(LocalDateTime from) {
        var minute = from.toLocalTime().withSecond(0).withNano(0);
        var start = from.toLocalDate().atTime(minute);
        if (start.isBefore(from)) {
            start = start.plusMinutes(1);
        }
        var day = start.toLocalDate();
        if (isSelected(day)) {
            var time = nextTime(start.toLocalTime());
            if (time.isPresent()) {
                return Optional.of(day.atTime(time.get()));
            }
        }
        return nextDay(day.plusDays(1))
                .map(later -> later.atTime(nextTime(LocalTime.MIDNIGHT).orElseThrow()));
    }

    private Optional<LocalTime> nextTime(LocalTime from) {
        if (hours.has(from.getHour())) {
            var minute = minutes.next(from.getMinute());
            if (minute.isPresent()) {
                return Optional.of(LocalTime.of(from.getHour(), minute.getAsInt()));
            }
        }
        var hour = hours.next(from.getHour() + 1);
        return hour.isPresent()
                ? Optional.of(LocalTime.of(hour.getAsInt(), minutes.next(0).orElseThrow()))
                : Optional.empty();
    }

    private Optional<LocalDate> nextDay(LocalDate from) {
        var end = from.plusYears(SEARCH_YEARS);
        for (var day = from; day.isBefore(end); ) {
            if (!months.has(day.getMonthValue())) {
                day = day.withDayOfMonth(1).plusMonths(1);
            } else if (isSelected(day)) {
                return Optional.of(day);
            } else {
                day = day.plusDays(1);
            }
        }
        return Optional.empty();
    }

    private boolean isSelected(LocalDate day) {
        if (!months.has(day.getMonthValue())) {
            return false;
        }
        var number = day.getDayOfWeek().getValue();
        var byWeekday = weekdays.has(number) || (number == 7 && weekdays.has(0));
        var byDay = days.has(day.getDayOfMonth());
        return (days.isRestricted() && weekdays.isRestricted())
                ? byDay || byWeekday
                : byDay && byWeekday;
    }

    @JsonValue
    @Override
    public String toString() {
        return text;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CronExpression that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }
}
