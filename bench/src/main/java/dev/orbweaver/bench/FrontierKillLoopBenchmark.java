package dev.orbweaver.bench;

import dev.orbweaver.internal.frontier.disk.FrontierKillLoop;

import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;

/** Kills a process that calls the frontier in a tight loop. */
final class FrontierKillLoopBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "tightkills",
                    "SIGKILL in a tight loop of offer, lease and settle, compared with an external"
                            + " record [--kills 200 --seed N]",
                    options -> new FrontierKillLoopBenchmark().run(options));

    /** The number of kills per directory, before a new one is used. */
    private static final int PER_DIRECTORY = 25;

    private Map<String, Object> run(Options options) throws Exception {
        var wanted = options.number("kills", 200);
        var seed = options.number("seed", (int) (System.nanoTime() & 0xFFFF));
        var kills = 0;
        var inACall = 0;
        var calls = 0L;
        var snapshots = 0L;
        var settled = 0L;
        var wrong = 0;
        for (var directories = 0; kills < wanted; directories++) {
            var directory = Files.createTempDirectory("orbweaver-bench");
            try {
                var test = new FrontierKillLoop(directory, seed + directories);
                test.run(Math.min(PER_DIRECTORY, wanted - kills));
                kills += test.kills();
                inACall += test.killedInACall();
                calls += test.calls();
                snapshots += test.snapshots();
                settled += test.settled();
                wrong += test.wrong().size();
                test.wrong().forEach(System.err::println);
                System.err.println("bench: %d kills, %d wrong".formatted(kills, wrong));
            } finally {
                CrawlProcess.delete(directory);
            }
        }
        var figures = new LinkedHashMap<String, Object>();
        figures.put("kills", kills);
        figures.put("killedInACall", inACall);
        figures.put("calls", calls);
        figures.put("snapshots", snapshots);
        figures.put("settled", settled);
        figures.put("wrong", wrong);
        figures.put("seed", seed);
        return figures;
    }
}
