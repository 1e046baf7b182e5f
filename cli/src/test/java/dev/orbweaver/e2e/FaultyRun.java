package dev.orbweaver.e2e;

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
record FaultyRun(List<Fault> faults, int requests) {

    private static final int REQUESTS_MAX = 220;

    /** More than the crawl's timeouts, so that a stopped process wakes up with all of them over. */
    private static final int STOP_MILLIS_MAX = 3_000;

    FaultyRun {
        faults = List.copyOf(faults);
    }

    /** A life without any trouble after this one: only what its clock shows stays as it is. */
    FaultyRun withoutFaults() {
        return new FaultyRun(faults.stream().filter(Fault.ClockStep.class::isInstance).toList(), 0);
    }

    /** The same hours later, when whatever rested has rested enough. */
    FaultyRun hoursLater() {
        var clock =
                faults.stream()
                        .filter(Fault.ClockStep.class::isInstance)
                        .map(fault -> ((Fault.ClockStep) fault).by())
                        .findFirst()
                        .orElse(Duration.ZERO);
        return new FaultyRun(List.of(new Fault.ClockStep(clock.plusHours(2))), 0);
    }

    /** Lives in which every kind of trouble occurs, for a test that has little time. */
    static List<FaultyRun> sampler(Random random) {
        // Stops go with kills: a disk that fails may end a life before its signal comes. One that
        // fails only once may not, so those lives are ended by a kill too.
        var lives =
                new ArrayList<>(
                        List.of(
                                of(random, new Fault.Kill(), stop(random)),
                                of(random, new Fault.Kill(), longStop(), clockStep(random)),
                                of(random, new Fault.Kill(), slowDisk(random)),
                                of(random, fullDisk(random), clockStep(random)),
                                of(random, fullDisk(random), slowDisk(random)),
                                of(random, new Fault.Kill(), ioError(random), clockSwing(random)),
                                of(random, new Fault.Kill(), ioError(random), clockStep(random)),
                                of(random, new Fault.Kill(), ioError(random))));
        Collections.shuffle(lives, random);
        return lives;
    }

    /**
     * So many short lives, each ended by a kill and each under a clock set back further. One set
     * forward cannot be told from time that has passed, so hosts that waited are then free.
     */
    static List<FaultyRun> shortRuns(Random random, int count) {
        var lives = new ArrayList<FaultyRun>();
        var back = Duration.ZERO;
        while (lives.size() < count) {
            lives.add(
                    new FaultyRun(
                            List.of(
                                    new Fault.Kill(),
                                    new Fault.ClockStep(back),
                                    clockSwing(random)),
                            random.nextInt(10, 40)));
            back = back.minusSeconds(random.nextInt(86_400));
        }
        return lives;
    }

    /** So many lives with any troubles at once. */
    static List<FaultyRun> random(Random random, int count) {
        var lives = new ArrayList<FaultyRun>();
        while (lives.size() < count) {
            var faults = new ArrayList<Fault>();
            crash(random).ifPresent(faults::add);
            if (random.nextInt(3) == 0 || faults.isEmpty()) {
                faults.add(stop(random));
            }
            if (random.nextInt(3) == 0) {
                faults.add(slowDisk(random));
            }
            if (random.nextBoolean()) {
                faults.add(clockStep(random));
            }
            if (random.nextInt(3) == 0) {
                faults.add(clockSwing(random));
            }
            lives.add(of(random, faults.toArray(Fault[]::new)));
        }
        return lives;
    }

    private static FaultyRun of(Random random, Fault... faults) {
        return new FaultyRun(List.of(faults), random.nextInt(1, REQUESTS_MAX));
    }

    private static Optional<Fault> crash(Random random) {
        return switch (random.nextInt(20)) {
            case 0 -> Optional.empty(); // It lives to the end.
            case 1, 2, 3, 4, 5, 6, 7, 8 -> Optional.of(new Fault.Kill());
            case 9, 10, 11, 12, 13 -> Optional.of(fullDisk(random));
            default -> Optional.of(ioError(random));
        };
    }

    private static Fault fullDisk(Random random) {
        return new Fault.FullDisk(random.nextInt(200_000));
    }

    /** Often during the opening, which takes some twenty operations. */
    private static Fault ioError(Random random) {
        return new Fault.IoError(random.nextInt(1, random.nextBoolean() ? 20 : 200));
    }

    private static Fault stop(Random random) {
        return new Fault.Stop(Duration.ofMillis(random.nextInt(100, STOP_MILLIS_MAX)));
    }

    private static Fault longStop() {
        return new Fault.Stop(Duration.ofMillis(STOP_MILLIS_MAX));
    }

    private static Fault slowDisk(Random random) {
        return new Fault.SlowDisk(random.nextInt(1, 200));
    }

    private static Fault clockStep(Random random) {
        return new Fault.ClockStep(Duration.ofSeconds(random.nextInt(-86_400, 86_400)));
    }

    private static Fault clockSwing(Random random) {
        return new Fault.ClockSwing(Duration.ofSeconds(random.nextInt(-86_400, 86_400)));
    }

    boolean killed() {
        return faults.stream().anyMatch(Fault.Kill.class::isInstance);
    }

    Optional<Duration> stopped() {
        return faults.stream()
                .filter(Fault.Stop.class::isInstance)
                .map(fault -> ((Fault.Stop) fault).length())
                .findFirst();
    }

    boolean diskFails() {
        return faults.stream().anyMatch(Fault::failsTheDisk);
    }
}
