package dev.orbweaver.server.schedules;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Optional;

/** The planned times of a schedule. They depend on nothing but the timetable. */
@JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
@JsonSubTypes({@JsonSubTypes.Type(Timetable.Cron.class), @JsonSubTypes.Type(Timetable.Every.class)})
public sealed interface Timetable {

    /** Returns the first planned time after {@code time}; empty if there is none. */
    Optional<Instant> next(Instant time);

    /**
     * Local times of a zone. At a change of the clocks each selected local time is one run:
     *
     * <ul>
     *   <li>Times in the gap of a clock that is put forward are together one run, at the end of the
     *       gap.
     *   <li>Times that occur twice, when a clock is put back, are planned at the first occurrence.
     * </ul>
     */
    record Cron(CronExpression cron, ZoneId zone) implements Timetable {

        @Override
        public Optional<Instant> next(Instant time) {
            // The instant of a local time never decreases with the local time. An earlier local
            // time than that of `time` is therefore never planned after it.
            var local = LocalDateTime.ofInstant(time, zone);
            for (var found = cron.next(local); found.isPresent(); ) {
                var planned = instant(found.get());
                if (planned.isAfter(time)) {
                    return Optional.of(planned);
                }
                found = cron.next(found.get().plusMinutes(1));
            }
            return Optional.empty();
        }

        /** Returns the text of the expression. */
        public String expression() {
            return cron.toString();
        }

        private Instant instant(LocalDateTime local) {
            var rules = zone.getRules();
            var offsets = rules.getValidOffsets(local);
            return offsets.isEmpty()
                    ? rules.getTransition(local).getInstant()
                    : local.toInstant(offsets.getFirst());
        }
    }

    /**
     * Equal distances of elapsed time.
     *
     * @param from the first planned time
     */
    record Every(Duration every, Instant from) implements Timetable {

        private static final Duration SHORTEST = Duration.ofMinutes(1);
        private static final Duration LONGEST = Duration.ofDays(366);

        public Every {
            if (every.compareTo(SHORTEST) < 0 || every.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException("every must be from 1m to 366d, for example 6h");
            }
        }

        @Override
        public Optional<Instant> next(Instant time) {
            if (time.isBefore(from)) {
                return Optional.of(from);
            }
            var passed = Duration.between(from, time).dividedBy(every);
            return Optional.of(from.plus(every.multipliedBy(passed + 1)));
        }
    }

    /**
     * Returns the times of a cron expression.
     *
     * @throws IllegalArgumentException if the expression or the zone is invalid
     */
    static Timetable cron(String expression, String zone) {
        return new Cron(CronExpression.parse(expression), zone(zone));
    }

    private static ZoneId zone(String name) {
        try {
            return ZoneId.of(name);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "unknown time zone '%s'; expected a name such as Europe/Berlin or UTC"
                            .formatted(name));
        }
    }
}
