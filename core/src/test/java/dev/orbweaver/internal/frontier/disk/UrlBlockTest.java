package dev.orbweaver.internal.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.frontier.UrlRecordBuffer;
import dev.orbweaver.internal.frontier.VarintWriter;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** A run is read as it was written, or rejected. */
class UrlBlockTest {

    private static UrlRecordBuffer slip(String text) {
        var slip = new UrlRecordBuffer();
        slip.text = text.getBytes(StandardCharsets.ISO_8859_1);
        slip.length = slip.text.length;
        return slip;
    }

    private static String words(UrlRecordBuffer slip) {
        return "%s hop %d depth %d hops %d parent %d at %d %b %d %d"
                .formatted(
                        slip.textAsString(),
                        slip.hopOrdinal,
                        slip.depth,
                        slip.hops,
                        slip.parent,
                        slip.foundAt,
                        slip.equivalentRedirect,
                        slip.attempts,
                        slip.expiredLeases);
    }

    private static byte[] written(List<UrlRecordBuffer> slips) {
        var out = new VarintWriter(16);
        try (var writer = new UrlBlockWriter()) {
            for (var slip : slips) {
                writer.add(slip);
                if (writer.isFull()) {
                    writer.finish(out);
                }
            }
            if (!writer.isEmpty()) {
                writer.finish(out);
            }
        }
        return Arrays.copyOf(out.array(), out.length());
    }

    private static List<String> read(byte[] bytes) throws IOException {
        var file = MemorySegment.ofArray(bytes);
        var found = new ArrayList<String>();
        try (var reader = new UrlBlockReader()) {
            var slip = new UrlRecordBuffer();
            for (var at = 0L; at < bytes.length; at = UrlBlockReader.next(file, at)) {
                reader.open(file, at);
                UrlBlockReader.clear(slip);
                var count = UrlBlockReader.count(file, at);
                for (var i = 0; i < count; i++) {
                    assertThat(reader.hasNext()).isTrue();
                    reader.next(slip);
                    found.add(words(slip));
                }
                assertThat(reader.hasNext()).isFalse();
            }
        }
        return found;
    }

    private static UrlRecordBuffer random(Random random) {
        var length = random.nextInt(10) == 0 ? random.nextInt(8192) : random.nextInt(80);
        var text = new StringBuilder("http://a.example/");
        while (text.length() < length) {
            text.append((char) random.nextInt(256));
        }
        var slip = slip(text.toString());
        slip.hopOrdinal = random.nextInt(8);
        slip.depth = extreme(random) & Integer.MAX_VALUE;
        slip.parent = random.nextInt(3) == 0 ? random.nextLong() : random.nextInt(5);
        slip.foundAt = random.nextInt(3) == 0 ? random.nextLong() : random.nextInt(5);
        if (random.nextBoolean()) {
            slip.hops = extreme(random) & Integer.MAX_VALUE;
            slip.equivalentRedirect = random.nextBoolean();
            slip.attempts = extreme(random) & Integer.MAX_VALUE;
            slip.expiredLeases = random.nextInt(3);
        }
        return slip;
    }

    private static int extreme(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> Integer.MAX_VALUE;
            case 1 -> random.nextInt();
            default -> random.nextInt(4);
        };
    }

    @Test
    void whateverIsWrittenIsRead() throws IOException {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        for (var round = 0; round < 200; round++) {
            var slips = new ArrayList<UrlRecordBuffer>();
            for (var left = 1 + random.nextInt(200); left > 0; left--) {
                slips.add(random(random));
            }
            assertThat(read(written(slips)))
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(slips.stream().map(UrlBlockTest::words).toList());
        }
    }

    @Test
    void hostileUrlsAreJustBytes() throws IOException {
        var longest = "http://a.example/" + "x".repeat(8192 - 17);
        var texts =
                List.of(
                        "",
                        "h",
                        "http://a.example/" + "\0".repeat(100),
                        "http://a.example/\u00FF\u0080",
                        longest,
                        longest,
                        longest.substring(0, 8191) + "y",
                        "http://a.example/%00%FF",
                        "http://b.example/");
        var slips = texts.stream().map(UrlBlockTest::slip).toList();
        assertThat(read(written(slips)))
                .isEqualTo(slips.stream().map(UrlBlockTest::words).toList());
    }

    @Test
    void aRunOfTheLongestUrlsThatShareNothingFits() throws IOException {
        var random = new Random(4);
        var slips = new ArrayList<UrlRecordBuffer>();
        for (var i = 0; i < 70; i++) {
            var text = new byte[8192];
            random.nextBytes(text);
            slips.add(slip(new String(text, StandardCharsets.ISO_8859_1)));
        }
        assertThat(read(written(slips)))
                .isEqualTo(slips.stream().map(UrlBlockTest::words).toList());
    }

    @Test
    void anyBitThatIsFlippedIsNoticed() {
        var random = new Random(9);
        var slips = new ArrayList<UrlRecordBuffer>();
        for (var i = 0; i < 60; i++) {
            slips.add(slip("http://a.example/page/" + random.nextInt(100_000)));
        }
        var run = written(slips);
        for (var bit = 0; bit < run.length * 8; bit++) {
            var damaged = run.clone();
            damaged[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThatThrownBy(() -> read(damaged))
                    .as("bit %d of %d", bit, run.length * 8)
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void aRunThatIsCutIsNoticed() {
        var run = written(List.of(slip("http://a.example/1"), slip("http://a.example/2")));
        for (var length = 1; length < run.length; length++) {
            var cut = Arrays.copyOf(run, length);
            assertThatThrownBy(() -> read(cut)).isInstanceOf(IOException.class);
        }
    }
}
