package dev.orbweaver.server.schedules;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Finds planned times by looking at every minute of a period. It shares no code with {@link
 * CronExpression} and accepts numbers only.
 */
final class MinuteOracle {

    private static final int[][] RANGES = {{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 7}};

    private final List<Set<Integer>> fields = new ArrayList<>();
    private final boolean eitherDay;

    MinuteOracle(String expression) {
        var texts = expression.split(" ", -1);
        for (var i = 0; i < texts.length; i++) {
            fields.add(numbers(texts[i], RANGES[i]));
        }
        eitherDay = !texts[2].startsWith("*") && !texts[4].startsWith("*");
    }

    private static Set<Integer> numbers(String field, int[] range) {
        var numbers = new HashSet<Integer>();
        for (var part : field.split(",", -1)) {
            var pieces = part.split("[-/]", -1);
            var step = part.contains("/") ? Integer.parseInt(pieces[pieces.length - 1]) : 1;
            var first = part.startsWith("*") ? range[0] : Integer.parseInt(pieces[0]);
            var last =
                    part.startsWith("*")
                            ? range[1]
                            : part.contains("-") ? Integer.parseInt(pieces[1]) : first;
            IntStream.rangeClosed(first, last)
                    .filter(number -> (number - first) % step == 0)
                    .forEach(numbers::add);
        }
        return numbers;
    }

    private boolean matches(LocalDateTime time) {
        var weekday = time.getDayOfWeek().getValue();
        var byWeekday =
                Arrays.asList(weekday, weekday % 7).stream().anyMatch(fields.get(4)::contains);
        var byDay = fields.get(2).contains(time.getDayOfMonth());
        return fields.get(0).contains(time.getMinute())
                && fields.get(1).contains(time.getHour())
                && fields.get(3).contains(time.getMonthValue())
                && (eitherDay ? byDay || byWeekday : byDay && byWeekday);
    }

    /** Returns the planned times from {@code from}, inclusive, to {@code to}, exclusive. */
    List<Instant> planned(ZoneId zone, Instant from, Instant to) {
        var planned = new ArrayList<Instant>();
        for (var at = from; at.isBefore(to); at = at.plus(1, ChronoUnit.MINUTES)) {
            if (isPlanned(zone, at)) {
                planned.add(at);
            }
        }
        return planned;
    }

    private boolean isPlanned(ZoneId zone, Instant at) {
        var local = LocalDateTime.ofInstant(at, zone);
        var isFirst = zone.getRules().getValidOffsets(local).getFirst();
        if (matches(local) && isFirst.equals(zone.getRules().getOffset(at))) {
            return true;
        }
        // The local minutes that were left out between the previous minute and this one.
        var before = LocalDateTime.ofInstant(at.minus(1, ChronoUnit.MINUTES), zone);
        for (var gap = before.plusMinutes(1); gap.isBefore(local); gap = gap.plusMinutes(1)) {
            if (matches(gap)) {
                return true;
            }
        }
        return false;
    }
}
