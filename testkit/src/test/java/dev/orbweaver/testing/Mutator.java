package dev.orbweaver.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Generates invalid inputs from valid ones. An input depends only on its seed, so each one can be
 * reproduced separately.
 */
final class Mutator {

    /** The maximum length of an input; parsers must be linear up to it. */
    static final int LENGTH_MAX = 64 << 10;

    private static final int[] ODD_BYTES = {0, 9, 10, 13, 32, 127, 128, 192, 237, 254, 255};

    private final List<byte[]> samples;
    private final List<byte[]> words;

    Mutator(List<byte[]> samples, List<String> dictionary) {
        this.samples = List.copyOf(samples);
        this.words = dictionary.stream().map(word -> word.getBytes(UTF_8)).toList();
    }

    byte[] input(Random random) {
        var bytes = one(samples, random).clone();
        // Mostly few mutations, because a heavily damaged input is rejected at once.
        for (var changes = random.nextInt(random.nextInt(8) == 0 ? 40 : 4);
                changes >= 0;
                changes--) {
            bytes = changed(bytes, random);
        }
        return bytes.length > LENGTH_MAX ? Arrays.copyOf(bytes, LENGTH_MAX) : bytes;
    }

    private byte[] changed(byte[] bytes, Random random) {
        var at = random.nextInt(bytes.length + 1);
        var end = Math.min(bytes.length, at + random.nextInt(1 + random.nextInt(64)));
        return switch (random.nextInt(10)) {
            case 0 -> joined(bytes, at, bytes, end); // Removes a part.
            case 1 -> Arrays.copyOf(bytes, at);
            case 2, 3 -> inserted(bytes, at, one(words, random));
            case 4 -> replaced(bytes, at, end, one(words, random));
            case 5 -> inserted(bytes, at, Arrays.copyOfRange(bytes, at, end));
            case 6 -> joined(bytes, at, one(samples, random), random);
            case 7 -> inserted(bytes, at, new byte[] {(byte) oddByte(random)});
            case 8 ->
                    random.nextInt(50) == 0 ? repeated(bytes, at, end, random) : flipped(bytes, at);
            default -> flipped(bytes, at);
        };
    }

    private static int oddByte(Random random) {
        return random.nextBoolean()
                ? ODD_BYTES[random.nextInt(ODD_BYTES.length)]
                : random.nextInt(256);
    }

    private static byte[] flipped(byte[] bytes, int at) {
        if (at < bytes.length) {
            bytes[at] ^= (byte) (1 << (at * 31 % 8));
        }
        return bytes;
    }

    private static byte[] repeated(byte[] bytes, int at, int end, Random random) {
        var piece = new String(bytes, at, end - at, ISO_8859_1);
        var times = random.nextInt(1 + LENGTH_MAX / Math.max(1, piece.length()));
        return inserted(bytes, at, piece.repeat(times).getBytes(ISO_8859_1));
    }

    private static byte[] inserted(byte[] bytes, int at, byte[] piece) {
        return replaced(bytes, at, at, piece);
    }

    private static byte[] replaced(byte[] bytes, int at, int end, byte[] piece) {
        var out = new ByteArrayOutputStream(bytes.length + piece.length);
        out.write(bytes, 0, at);
        out.writeBytes(piece);
        out.write(bytes, end, bytes.length - end);
        return out.toByteArray();
    }

    private static byte[] joined(byte[] first, int until, byte[] second, Random random) {
        return joined(first, until, second, random.nextInt(second.length + 1));
    }

    private static byte[] joined(byte[] first, int until, byte[] second, int from) {
        var out = new ByteArrayOutputStream(until + second.length - from);
        out.write(first, 0, until);
        out.write(second, from, second.length - from);
        return out.toByteArray();
    }

    private static byte[] one(List<byte[]> all, Random random) {
        return all.get(random.nextInt(all.size()));
    }
}
