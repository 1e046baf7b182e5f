package dev.orbweaver.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.management.ManagementFactory;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/**
 * Feeds mutated inputs to one parser. {@code -Dorbweaver.fuzz=N} says how many (a few thousand in
 * the build), {@code -Dorbweaver.fuzz.seed=S} where to begin; a failure names the seed of its one
 * input, which {@code -Dorbweaver.fuzz=1} and that seed give again.
 */
public final class Fuzz {

    private static final int INPUTS = 4_000;

    /** For 64 KB at most. Processor time, since a busy machine makes everything slow. */
    private static final long NANOS_MAX = 1_000_000_000L;

    private final String parser;
    private final Mutator mutator;

    private Fuzz(String parser, Mutator mutator) {
        this.parser = parser;
        this.mutator = mutator;
    }

    /** What is done with an input, and what must hold of it. */
    public interface Target {

        /**
         * Throws when something is wrong, in whatever way.
         *
         * @param random for what else must be chosen, such as where to cut
         */
        void take(byte[] input, Random random) throws Exception;
    }

    /** A fuzzer of one parser, from inputs that it knows and words that mean something to it. */
    public static Fuzz of(String parser, List<String> samples, String... dictionary) {
        return ofBytes(
                parser, samples.stream().map(text -> text.getBytes(UTF_8)).toList(), dictionary);
    }

    /** The same for samples that are no text. */
    public static Fuzz ofBytes(String parser, List<byte[]> samples, String... dictionary) {
        return new Fuzz(parser, new Mutator(samples, List.of(dictionary)));
    }

    /** Runs all inputs. */
    public void run(Target target) {
        var inputs = Integer.getInteger("orbweaver.fuzz", INPUTS);
        var first = Long.getLong("orbweaver.fuzz.seed", parser.hashCode());
        var slowest = 0L;
        for (var i = 0; i < inputs; i++) {
            slowest = Math.max(slowest, feed(target, first + i));
        }
        System.out.println(
                "fuzz %s: %d inputs from seed %d, slowest %.1f ms of CPU"
                        .formatted(parser, inputs, first, slowest / 1e6));
    }

    private long feed(Target target, long seed) {
        var random = new Random(seed);
        var input = mutator.input(random);
        var threads = ManagementFactory.getThreadMXBean();
        var before = threads.getCurrentThreadCpuTime();
        try {
            target.take(input, random);
        } catch (Throwable wrong) {
            throw new AssertionError(about(seed, input), wrong);
        }
        var nanos = threads.getCurrentThreadCpuTime() - before;
        if (nanos > NANOS_MAX) {
            throw new AssertionError(nanos / 1_000_000 + " ms of CPU for " + about(seed, input));
        }
        return nanos;
    }

    private String about(long seed, byte[] input) {
        var shown = Math.min(input.length, 2_000);
        return "%s: -Dorbweaver.fuzz=1 -Dorbweaver.fuzz.seed=%d, %d bytes: %s %s"
                .formatted(
                        parser,
                        seed,
                        input.length,
                        new String(input, 0, shown, ISO_8859_1).replaceAll("\\p{Cntrl}", "."),
                        HexFormat.of().formatHex(input, 0, Math.min(shown, 200)));
    }
}
