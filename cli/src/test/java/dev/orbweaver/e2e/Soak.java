package dev.orbweaver.e2e;

import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/** Round after round of chaos, each from a seed of its own. */
public final class Soak {

    private final ChaosCounts counts = new ChaosCounts();

    private final long seed;
    private final Consumer<String> out;

    /**
     * Nothing happens yet.
     *
     * @param out is told how it goes and, with its seed, everything that goes wrong
     */
    public Soak(long seed, Consumer<String> out) {
        this.seed = seed;
        this.out = out;
    }

    /**
     * Runs so many rounds, or fewer when the time is over, and returns the counts. A round's seed
     * is the first one's plus its number, so one that failed is run again alone by giving that.
     */
    public Map<String, Object> run(int rounds, Duration time) throws Exception {
        var begun = System.nanoTime();
        for (var round = 0; round < rounds; round++) {
            if (System.nanoTime() - begun > time.toNanos()) {
                break;
            }
            var roundSeed = seed + round;
            var random = new Random(roundSeed);
            // Every third one is for the delays that a restart must keep.
            var complaints =
                    round % 3 == 2
                            ? round(
                                    fewPages(roundSeed),
                                    Duration.ofSeconds(3),
                                    FaultyRun.shortRuns(random, 4 + random.nextInt(5)),
                                    counts)
                            : round(
                                    manyPages(roundSeed),
                                    Duration.ofMillis(400),
                                    FaultyRun.random(random, 6 + random.nextInt(15)),
                                    counts);
            for (var complaint : complaints) {
                out.accept("seed " + roundSeed + ": " + complaint);
            }
            out.accept("seed " + roundSeed + " done; so far " + counts);
        }
        var figures = counts.asMap();
        figures.put("seed", seed);
        return figures;
    }

    /** A web of which a crawl can die many times before it is done. */
    static WebSpec manyPages(long seed) {
        return new WebSpec(seed, 120, 3_000, 1_500, 0, 100, EnumSet.allOf(Quirk.class));
    }

    /**
     * The same for a test that has little time: as many pages as its lives may use up, and some.
     */
    static WebSpec somePages(long seed) {
        return new WebSpec(seed, 80, 2_000, 1_500, 0, 100, EnumSet.allOf(Quirk.class));
    }

    /** A web for a delay that is longer than a restart, so that one not kept would show. */
    static WebSpec fewPages(long seed) {
        return new WebSpec(seed, 30, 60, 1_500, 0, 100, EnumSet.noneOf(Quirk.class));
    }

    /** One round in a folder that is deleted when all went well. */
    static List<String> round(
            WebSpec spec, Duration delay, List<FaultyRun> lives, ChaosCounts counts)
            throws Exception {
        var directory = Files.createTempDirectory("orbweaver-chaos");
        List<String> complaints;
        try (var web = LoopbackWeb.serve(spec)) {
            complaints =
                    new ChaosRound(web, directory.resolve("crawl"), spec.seed(), delay, counts)
                            .run(lives).stream()
                                    .map(complaint -> complaint + " (in " + directory + ")")
                                    .toList();
        }
        if (complaints.isEmpty()) {
            delete(directory);
        }
        return complaints;
    }

    private static void delete(Path directory) throws Exception {
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
