package dev.orbweaver.crawls;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * One run of the crawler's process, from its start to its death: what is wrong with its machine
 * from the beginning, and after how many requests a signal comes.
 */
record Life(List<Trouble> troubles, int requests) {

    private static final int REQUESTS_MAX = 220;

    /** More than the crawl's timeouts, so that a stopped process wakes up with all of them over. */
    private static final int STOP_MILLIS_MAX = 3_000;

    Life {
        troubles = List.copyOf(troubles);
    }

    /** A life without any trouble after this one: only what its clock shows stays as it is. */
    Life calmed() {
        return new Life(troubles.stream().filter(Trouble.ClockStep.class::isInstance).toList(), 0);
    }

    /** The same hours later, when whatever rested has rested enough. */
    Life hoursLater() {
        var clock =
                troubles.stream()
                        .filter(Trouble.ClockStep.class::isInstance)
                        .map(trouble -> ((Trouble.ClockStep) trouble).by())
                        .findFirst()
                        .orElse(Duration.ZERO);
        return new Life(List.of(new Trouble.ClockStep(clock.plusHours(2))), 0);
    }

    /** Lives in which every kind of trouble occurs, for a test that has little time. */
    static List<Life> sampler(Random random) {
        // Stops go with kills: a disk that fails may end a life before its signal comes. One that
        // fails only once may not, so those lives are ended by a kill too.
        var lives =
                new ArrayList<>(
                        List.of(
                                of(random, new Trouble.Kill(), stop(random)),
                                of(random, new Trouble.Kill(), longStop(), clockStep(random)),
                                of(random, new Trouble.Kill(), slowDisk(random)),
                                of(random, fullDisk(random), clockStep(random)),
                                of(random, fullDisk(random), slowDisk(random)),
                                of(random, new Trouble.Kill(), ioError(random), clockSwing(random)),
                                of(random, new Trouble.Kill(), ioError(random), clockStep(random)),
                                of(random, new Trouble.Kill(), ioError(random))));
        Collections.shuffle(lives, random);
        return lives;
    }

    /**
     * So many short lives, each ended by a kill and each under a clock set back further. One set
     * forward cannot be told from time that has passed, so hosts that waited are then free.
     */
    static List<Life> brief(Random random, int count) {
        var lives = new ArrayList<Life>();
        var back = Duration.ZERO;
        while (lives.size() < count) {
            lives.add(
                    new Life(
                            List.of(
                                    new Trouble.Kill(),
                                    new Trouble.ClockStep(back),
                                    clockSwing(random)),
                            random.nextInt(10, 40)));
            back = back.minusSeconds(random.nextInt(86_400));
        }
        return lives;
    }

    /** So many lives with any troubles at once. */
    static List<Life> random(Random random, int count) {
        var lives = new ArrayList<Life>();
        while (lives.size() < count) {
            var troubles = new ArrayList<Trouble>();
            death(random).ifPresent(troubles::add);
            if (random.nextInt(3) == 0 || troubles.isEmpty()) {
                troubles.add(stop(random));
            }
            if (random.nextInt(3) == 0) {
                troubles.add(slowDisk(random));
            }
            if (random.nextBoolean()) {
                troubles.add(clockStep(random));
            }
            if (random.nextInt(3) == 0) {
                troubles.add(clockSwing(random));
            }
            lives.add(of(random, troubles.toArray(Trouble[]::new)));
        }
        return lives;
    }

    private static Life of(Random random, Trouble... troubles) {
        return new Life(List.of(troubles), random.nextInt(1, REQUESTS_MAX));
    }

    private static Optional<Trouble> death(Random random) {
        return switch (random.nextInt(20)) {
            case 0 -> Optional.empty(); // It lives to the end.
            case 1, 2, 3, 4, 5, 6, 7, 8 -> Optional.of(new Trouble.Kill());
            case 9, 10, 11, 12, 13 -> Optional.of(fullDisk(random));
            default -> Optional.of(ioError(random));
        };
    }

    private static Trouble fullDisk(Random random) {
        return new Trouble.FullDisk(random.nextInt(200_000));
    }

    /** Often during the opening, which takes some twenty operations. */
    private static Trouble ioError(Random random) {
        return new Trouble.IoError(random.nextInt(1, random.nextBoolean() ? 20 : 200));
    }

    private static Trouble stop(Random random) {
        return new Trouble.Stop(Duration.ofMillis(random.nextInt(100, STOP_MILLIS_MAX)));
    }

    private static Trouble longStop() {
        return new Trouble.Stop(Duration.ofMillis(STOP_MILLIS_MAX));
    }

    private static Trouble slowDisk(Random random) {
        return new Trouble.SlowDisk(random.nextInt(1, 200));
    }

    private static Trouble clockStep(Random random) {
        return new Trouble.ClockStep(Duration.ofSeconds(random.nextInt(-86_400, 86_400)));
    }

    private static Trouble clockSwing(Random random) {
        return new Trouble.ClockSwing(Duration.ofSeconds(random.nextInt(-86_400, 86_400)));
    }

    boolean killed() {
        return troubles.stream().anyMatch(Trouble.Kill.class::isInstance);
    }

    Optional<Duration> stopped() {
        return troubles.stream()
                .filter(Trouble.Stop.class::isInstance)
                .map(trouble -> ((Trouble.Stop) trouble).length())
                .findFirst();
    }

    boolean diskFails() {
        return troubles.stream().anyMatch(Trouble::failsTheDisk);
    }
}
