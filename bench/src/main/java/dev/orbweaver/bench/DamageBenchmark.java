package dev.orbweaver.bench;

import dev.orbweaver.frontier.disk.FrontierDamage;

import java.util.LinkedHashMap;
import java.util.Map;

/** Every byte of the last 64 KiB of every file of a frontier cut off, and one bit of it flipped. */
final class DamageBenchmark implements Benchmark {

    private static final int SNAPSHOTS = 10;

    @Override
    public String name() {
        return "damage";
    }

    @Override
    public String help() {
        return "a frontier's files cut at, and with a bit flipped in, every byte of their last"
                + " 64 KiB [--file kind --step 1 --seed N]";
    }

    @Override
    public Map<String, Object> run(Options options) throws Exception {
        var seed = options.number("seed", (int) (System.nanoTime() & 0xFFFF));
        var figures = new LinkedHashMap<String, Object>();
        var files = 0;
        try (var damage =
                new FrontierDamage(
                        seed, FrontierDamage.TAIL + FrontierDamage.TAIL / 8, SNAPSHOTS)) {
            for (var file : damage.files()) {
                if (file.startsWith(options.text("file", ""))) {
                    damage.everywhere(file, options.number("step", 1));
                    files++;
                    System.err.println("bench: " + file + ", " + damage.wrong().size() + " wrong");
                }
            }
            damage.wrong().forEach(System.err::println);
            figures.put("files", files);
            damage.counts()
                    .forEach(
                            (kind, counts) -> {
                                figures.put(kind + ".positions", counts.positions);
                                figures.put(kind + ".opened", counts.opened);
                                figures.put(kind + ".refused", counts.refused);
                                figures.put(kind + ".wrong", counts.wrong);
                            });
        }
        figures.put("seed", seed);
        return figures;
    }
}
