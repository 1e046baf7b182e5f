package dev.orbweaver.internal.config;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * Whether and how often a crawl visits its pages again while it runs.
 *
 * @param interval between two visits of a page, if the mode is {@link Mode#EVERY}
 * @param visitsPerDay limit of visits of known pages; {@link Long#MAX_VALUE} for none
 */
public record RevisitPlan(Mode mode, Duration interval, long visitsPerDay) {

    public enum Mode {
        NEVER,
        /** By how often pages change, and how important they are. */
        AUTO,
        EVERY
    }

    public static final String KEY = "revisit";
    static final String BUDGET_KEY = "revisit-budget";

    public static final RevisitPlan NEVER =
            new RevisitPlan(Mode.NEVER, Duration.ZERO, Long.MAX_VALUE);

    private static final Duration INTERVAL_MIN = Duration.ofSeconds(1);
    private static final Duration INTERVAL_MAX = Duration.ofDays(3650);
    private static final String EVERY = "every ";
    private static final int HOURS = 24;

    public boolean isContinuous() {
        return mode != Mode.NEVER;
    }

    static RevisitPlan read(CheckedValues checked) {
        var plan = checked.value(KEY, RevisitPlan::plan, "auto, never or a time such as 7d");
        var budget =
                checked.value(
                        BUDGET_KEY,
                        RevisitPlan::budget,
                        "none or visits such as 10000/day or 500/h");
        return new RevisitPlan(plan.mode, plan.interval, budget);
    }

    private static Optional<RevisitPlan> plan(String text) {
        var word = text.strip().toLowerCase(Locale.ROOT);
        return switch (word) {
            case "never" -> Optional.of(NEVER);
            case "auto" -> Optional.of(new RevisitPlan(Mode.AUTO, Duration.ZERO, Long.MAX_VALUE));
            default ->
                    Quantities.duration(
                                    word.startsWith(EVERY) ? word.substring(EVERY.length()) : word)
                            .filter(time -> time.compareTo(INTERVAL_MIN) >= 0)
                            .filter(time -> time.compareTo(INTERVAL_MAX) <= 0)
                            .map(time -> new RevisitPlan(Mode.EVERY, time, Long.MAX_VALUE));
        };
    }

    private static Optional<Long> budget(String text) {
        var word = text.strip().toLowerCase(Locale.ROOT);
        if (word.equals("none")) {
            return Optional.of(Long.MAX_VALUE);
        }
        var slash = word.indexOf('/');
        var number =
                slash < 0 ? Optional.<Long>empty() : Quantities.count(word.substring(0, slash));
        var perDay =
                switch (word.substring(slash + 1)) {
                    case "d", "day" -> 1;
                    case "h", "hour" -> HOURS;
                    default -> 0;
                };
        return number.filter(count -> count > 0 && perDay > 0 && count < Long.MAX_VALUE / HOURS)
                .map(count -> count * perDay);
    }
}
