package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.disk.DiskSettings;
import dev.orbweaver.internal.traps.TrapSettings;
import dev.orbweaver.model.Durability;

import java.time.Duration;
import java.util.Random;

/**
 * The settings of a simulated crawl.
 *
 * @param onDisk whether its frontier is on the simulated disk, or is lost with its process
 * @param checkLedger whether a {@link LedgerChecker} checks the frontier
 * @param keepCaptures whether the captures are kept for the end
 * @param crashes whether the process dies from time to time: killed, disk full, power failure
 * @param traps settings of the trap detector
 * @param pagesMax the page limit
 * @param disk the settings of the frontier's files
 */
record SimulationSettings(
        long seed,
        Politeness politeness,
        int concurrency,
        boolean onDisk,
        boolean checkLedger,
        boolean keepCaptures,
        boolean crashes,
        TrapSettings traps,
        long pagesMax,
        DiskSettings disk) {

    private static final int TINY = 20_000;
    private static final int[] HOST_DELAYS = {0, 200, 1_000, 1_000, 5_000};
    private static final int[] ADDRESS_DELAYS = {0, 40, 300, 2_000};
    private static final int[] DOMAIN_DELAYS = {0, 0, 500, 3_000};
    private static final int[] WORKERS = {1, 3, 8, 32, 64};
    private static final int[] LEASE_SECONDS = {10, 60, 600};

    /** Returns settings that depend on the seed. */
    static SimulationSettings random(long seed) {
        var random = new Random(seed * 0x9E3779B97F4A7C15L);
        var politeness =
                new Politeness(
                                Duration.ofMillis(pick(HOST_DELAYS, random)),
                                Duration.ofMillis(pick(ADDRESS_DELAYS, random)),
                                Duration.ofMillis(pick(DOMAIN_DELAYS, random)),
                                Math.max(1, random.nextInt(7) - 2),
                                Duration.ofSeconds(pick(LEASE_SECONDS, random)))
                        .withErrorBackoff(Duration.ofSeconds(seed % 2 * 2));
        var workers = pick(WORKERS, random);
        return new SimulationSettings(
                seed,
                politeness,
                workers,
                true,
                true,
                true,
                true,
                TrapSettings.DEFAULT,
                Long.MAX_VALUE,
                randomDisk(seed));
    }

    /** Half of them lose nothing in a power failure; half snapshot and merge all the time. */
    private static DiskSettings randomDisk(long seed) {
        var random = new Random(seed ^ 0x5DEECE66DL);
        var settings =
                random.nextBoolean()
                        ? DiskSettings.DEFAULT
                        : DiskSettings.DEFAULT.withSmallFiles(TINY);
        return random.nextBoolean() ? settings : settings.with(Durability.POWER);
    }

    /** Returns settings of a long crawl with one delay for every host. */
    static SimulationSettings fixed(long seed, Duration hostDelay, boolean onDisk, long pagesMax) {
        var politeness =
                new Politeness(
                        hostDelay,
                        Duration.ofMillis(100),
                        Duration.ofMillis(50),
                        1,
                        Duration.ofMinutes(10));
        return new SimulationSettings(
                seed,
                politeness,
                256,
                onDisk,
                false,
                false,
                false,
                TrapSettings.DEFAULT,
                pagesMax,
                DiskSettings.DEFAULT);
    }

    private static int pick(int[] choices, Random random) {
        return choices[random.nextInt(choices.length)];
    }

    CrawlSettings settings() {
        return new CrawlSettings(
                concurrency,
                true,
                "orbweaver",
                true,
                new RetryPolicy(2, Duration.ofSeconds(5)),
                new CrawlSettings.Limits(pagesMax, Long.MAX_VALUE, Duration.ofDays(3650)),
                Duration.ofMinutes(5),
                Duration.ofSeconds(5),
                Duration.ZERO,
                10,
                1 << 20,
                traps);
    }
}
