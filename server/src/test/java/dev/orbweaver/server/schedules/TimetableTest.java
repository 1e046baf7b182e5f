package dev.orbweaver.server.schedules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Planned times of cron expressions and intervals. */
class TimetableTest {

    private static final List<String> ZONES =
            List.of(
                    "UTC",
                    "Europe/Berlin",
                    "America/New_York",
                    "Australia/Lord_Howe", // Half an hour of daylight-saving time.
                    "America/Santiago", // Changes at midnight.
                    "Asia/Kolkata");

    private static List<Instant> planned(Timetable timetable, Instant from, Instant to) {
        var planned = new ArrayList<Instant>();
        for (var next = timetable.next(from.minusNanos(1));
                next.isPresent() && next.get().isBefore(to);
                next = timetable.next(next.get())) {
            planned.add(next.get());
        }
        return planned;
    }

    private static Instant day(String date, String zone) {
        return LocalDate.parse(date).atStartOfDay(ZoneId.of(zone)).toInstant();
    }

    @Test
    void randomExpressionsPlanTheTimesThatTheMinuteByMinuteSearchFinds() {
        var seed = Long.getLong("orbweaver.seed", 20_262L);
        System.out.println("seed " + seed);
        var random = new Random(seed);
        var runs = 0L;
        for (var i = 0; i < 400; i++) {
            var expression = randomExpression(random);
            var zone = ZoneId.of(ZONES.get(random.nextInt(ZONES.size())));
            // Half of the periods begin shortly before a change of the clocks.
            var from =
                    LocalDate.of(2024 + random.nextInt(4), 1, 1)
                            .atStartOfDay(ZoneOffset.UTC)
                            .plusDays(random.nextInt(365))
                            .toInstant();
            var change = zone.getRules().nextTransition(from);
            if (change != null && random.nextBoolean()) {
                from = change.getInstant().minus(random.nextInt(48), ChronoUnit.HOURS);
            }
            var to = from.plus(Duration.ofDays(5));
            var expected = new MinuteOracle(expression).planned(zone, from, to);
            assertThat(planned(Timetable.cron(expression, zone.getId()), from, to))
                    .as("%s in %s from %s, seed %d", expression, zone, from, seed)
                    .isEqualTo(expected);
            runs += expected.size();
        }
        assertThat(runs).isGreaterThan(5_000);
    }

    private static String randomExpression(Random random) {
        return String.join(
                " ",
                randomField(random, 0, 59, 3),
                randomField(random, 0, 23, 3),
                randomField(random, 1, 28, 2),
                randomField(random, 1, 12, 1),
                randomField(random, 0, 7, 2));
    }

    /** Returns {@code *} more often where other values would leave few runs. */
    private static String randomField(Random random, int least, int most, int variety) {
        if (random.nextInt(4) >= variety) {
            return "*";
        }
        var parts = new ArrayList<String>();
        for (var i = 0; i <= random.nextInt(2); i++) {
            var first = least + random.nextInt(most - least + 1);
            var last = first + random.nextInt(most - first + 1);
            var step = 1 + random.nextInt(7);
            parts.add(
                    switch (random.nextInt(4)) {
                        case 0 -> "*/" + step;
                        case 1 -> first + "-" + last;
                        case 2 -> first + "-" + last + "/" + step;
                        default -> Integer.toString(first);
                    });
        }
        return String.join(",", parts);
    }

    @Test
    void timesInTheGapOfTheClocksAreOneRunRightAfterIt() {
        var times =
                planned(
                        Timetable.cron("*/20 2 * * *", "Europe/Berlin"),
                        day("2026-03-29", "Europe/Berlin"),
                        day("2026-03-30", "Europe/Berlin"));
        assertThat(times).containsExactly(Instant.parse("2026-03-29T01:00:00Z"));
    }

    @Test
    void timesThatOccurTwiceArePlannedOnce() {
        var times =
                planned(
                        Timetable.cron("30 2 * * *", "Europe/Berlin"),
                        day("2026-10-25", "Europe/Berlin"),
                        day("2026-10-26", "Europe/Berlin"));
        assertThat(times).containsExactly(Instant.parse("2026-10-25T00:30:00Z"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "@daily|2026-01-01T00:00:00Z|2026-01-02T00:00:00Z",
                "@HOURLY|2026-01-01T00:10:00Z|2026-01-01T01:00:00Z",
                "@weekly|2026-01-01T00:00:00Z|2026-01-04T00:00:00Z",
                "@monthly|2026-01-01T00:00:00Z|2026-02-01T00:00:00Z",
                "@yearly|2026-01-01T00:00:00Z|2027-01-01T00:00:00Z",
                " 30  4 * *  Mon-Fri |2026-01-02T05:00:00Z|2026-01-05T04:30:00Z",
                "0 0 * * 5-7|2026-01-03T12:00:00Z|2026-01-04T00:00:00Z",
                "0 0 29 feb *|2026-01-01T00:00:00Z|2028-02-29T00:00:00Z",
                "0 0 29 2 */7|2096-03-01T00:00:00Z|2128-02-29T00:00:00Z",
                "0 0 13 * fri|2026-02-13T00:00:00Z|2026-02-20T00:00:00Z",
            })
    void expressionsHaveTheTimesOfCrontab(String expression, Instant after, Instant expected) {
        assertThat(Timetable.cron(expression, "UTC").next(after)).contains(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "* * * *|five fields",
                "* * * * * *|five fields",
                "@reboot|unknown cron macro '@reboot'",
                "60 * * * *|minute '60' of cron is invalid: expected numbers from 0 to 59",
                "* 24 * * *|hour '24'",
                "* * 0 * *|day of the month '0'",
                "* * * 13 *|month '13'",
                "* * * mon *|month 'mon' of cron is invalid: 'mon' is not a number",
                "* * * * 8|day of the week '8'",
                "*/0 * * * *|the step must be at least 1",
                "5/10 * * * *|a step follows * or a range",
                "50-10 * * * *|must not end before it begins",
                "1,,2 * * * *|'' is not a number",
                "-1 * * * *|'' is not a number",
                "0 0 31 2 *|selects no day that exists",
            })
    void invalidExpressionsAreRejectedWithTheReason(String expression, String message) {
        assertThatThrownBy(() -> Timetable.cron(expression, "UTC"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void anUnknownZoneIsRejected() {
        assertThatThrownBy(() -> Timetable.cron("@daily", "Mars/Base"))
                .hasMessageContaining("unknown time zone 'Mars/Base'");
    }

    @Test
    void anIntervalHasEqualDistancesFromItsFirstTime() {
        var from = Instant.parse("2026-03-28T23:30:00Z");
        var every = new Timetable.Every(Duration.ofHours(6), from);
        assertThat(every.next(from.minusSeconds(1))).contains(from);
        assertThat(every.next(from)).contains(from.plusSeconds(6 * 3600));
        assertThat(every.next(from.plusSeconds(100_000))).contains(from.plusSeconds(5 * 6 * 3600));
        assertThatThrownBy(() -> new Timetable.Every(Duration.ofSeconds(59), from))
                .hasMessageContaining("every must be from 1m to 366d");
    }
}
