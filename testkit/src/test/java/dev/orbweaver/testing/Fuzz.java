package dev.orbweaver.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.management.ManagementFactory;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/**
 * Runs a parser on mutated inputs. {@code -Dorbweaver.fuzz=N} sets their number (a few thousand in
 * the build), {@code -Dorbweaver.fuzz.seed=S} the first seed. A failure prints the seed of its
 * input; {@code -Dorbweaver.fuzz=1} with that seed reproduces it.
 */
public final class Fuzz {

    private static final int INPUTS = 4_000;

    /** The limit for an input of at most 64 KB; CPU time, which is independent of machine load. */
    private static final long NANOS_MAX = 1_000_000_000L;

    private final String parser;
    private final Mutator mutator;

    private Fuzz(String parser, Mutator mutator) {
        this.parser = parser;
        this.mutator = mutator;
    }

    /** The code under test, with its assertions. */
    public interface Target {

        /**
         * Runs the parser; throws any exception or error on failure.
         *
         * @param random for other choices, such as where to split the input
         */
        void take(byte[] input, Random random) throws Exception;
    }

    /** Creates a fuzzer from valid inputs and from tokens of the format. */
    public static Fuzz of(String parser, List<String> samples, String... dictionary) {
        return ofBytes(
                parser, samples.stream().map(text -> text.getBytes(UTF_8)).toList(), dictionary);
    }

    /** Creates a fuzzer for binary samples. */
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
