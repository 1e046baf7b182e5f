package dev.orbweaver.internal.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.model.Body;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.model.Timings;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;

class ContentReaderTest {

    @TempDir Path directory;

    @Test
    void aPlainBodyIsItsOwnContentUpToTheLimit() throws IOException {
        assertThat(read("", "hello".getBytes(ISO_8859_1), 10)).isEqualTo("hello");
        assertThat(read("", "hello".getBytes(ISO_8859_1), 3)).isEqualTo("hel");
        assertThat(read("identity", "hello".getBytes(ISO_8859_1), 0)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "gzip, gzip",
        "X-GZIP, gzip",
        "deflate, deflate",
        "Deflate, raw deflate",
        "br, br",
        "zstd, zstd",
        "'identity, gzip ,', gzip",
        "'gzip, nonsense', gzip"
    })
    void aCodingIsUndoneWhateverTheCaseOfItsName(String name, String coding) throws IOException {
        var plain = "hello".repeat(1_000);
        var packed = CompressedBodies.compress(coding, plain.getBytes(ISO_8859_1));
        assertThat(read(name, packed, 100_000)).isEqualTo(plain);
        assertThat(read(name, packed, 7)).isEqualTo("hellohe");
        assertThat(read(name, packed, 0)).isEmpty();
    }

    @Test
    void aNameThatMeansNothingLeavesTheBodyAsItIs() throws IOException {
        assertThat(read("utf-8", "hello".getBytes(ISO_8859_1), 10)).isEqualTo("hello");
    }

    @Test
    void codingsOnTopOfEachOtherAreUndoneFromTheLast() throws IOException {
        var inner = CompressedBodies.compress("br", "hello".getBytes(ISO_8859_1));
        var packed = CompressedBodies.compress("gzip", CompressedBodies.compress("zstd", inner));
        assertThat(read("br, zstd\r\nContent-Encoding: gzip", packed, 100)).isEqualTo("hello");
        assertThat(read("br, zstd, gzip, gzip", CompressedBodies.compress("gzip", packed), 100))
                .isEmpty();
    }

    /** Ten megabytes that expand to ten gigabytes, or as close to that as the format allows. */
    @Slow
    @ParameterizedTest
    @CsvSource({"gzip, 100, 100", "zstd, 1000, 10", "br, 1000, 1", "deflate, 500, 1"})
    void aBombIsReadOnlyAsFarAsAllowed(String coding, int megabytes, int times) throws IOException {
        var bomb = CompressedBodies.repeat(CompressedBodies.zeros(coding, megabytes), times);
        var limits = new ContentReader.Limits(4 << 20, 1_000_000);
        var content = ContentReader.read(exchange(coding, memory(bomb)), limits);
        assertThat(content.length()).isEqualTo(4 << 20);
        assertThat(content.bytes().length).isEqualTo(4 << 20);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "br", "zstd"})
    void whatUnfoldsTooFarIsReadOnlyAsFarAsTheRatioAllows(String coding) throws IOException {
        var packed = CompressedBodies.zeros(coding, 20);
        var sent = Arrays.copyOf(packed, 30_000); // Trailing garbage has no effect.
        var content =
                ContentReader.read(
                        exchange(coding, memory(sent)), new ContentReader.Limits(16 << 20, 100));
        assertThat(content.length()).isEqualTo(3_000_000);
        var few = ContentReader.read(exchange(coding, memory(packed)), 16 << 20);
        assertThat(few.length()).isGreaterThanOrEqualTo(1 << 20);
    }

    /**
     * The outer coding expands to input that the inner one consumes without output. The content
     * after it shows whether decoding got that far.
     */
    @Slow
    @ParameterizedTest
    @CsvSource({"gzip, gzip", "br, gzip", "zstd, zstd", "gzip, zstd"})
    void anInnerCodingThatGivesNothingIsNotFedForEver(String outer, String inner)
            throws IOException {
        var empty = CompressedBodies.compress(inner, new byte[0]);
        var members = new ByteArrayOutputStream();
        members.write(CompressedBodies.repeat(empty, (64 << 20) / empty.length));
        members.write(CompressedBodies.compress(inner, "found".getBytes(ISO_8859_1)));
        var bomb = CompressedBodies.compress(outer, members.toByteArray());
        var name = inner + ", " + outer;
        assertThat(ContentReader.read(exchange(name, memory(bomb)), 1 << 20).length()).isZero();
        var few =
                CompressedBodies.compress(
                        outer,
                        CompressedBodies.repeat(
                                CompressedBodies.compress(inner, new byte[] {'x'}), 3));
        assertThat(read(name, few, 100)).isEqualTo("xxx");
    }

    @Slow
    @Test
    void nestedBombsUnfoldNoFurtherThanOne() throws IOException {
        for (var coding : List.of("gzip", "br", "zstd")) {
            var bomb = CompressedBodies.compress(coding, CompressedBodies.zeros(coding, 500));
            var name = coding + ", " + coding;
            var content = ContentReader.read(exchange(name, memory(bomb)), 2 << 20);
            assertThat(content.length()).as(coding).isBetween(1, 2 << 20);
        }
    }

    /** A frame that requests a window of 128 MB before it has sent a byte of content. */
    @Test
    void aZstdWindowOverTheStandardsLimitIsRefused() throws IOException {
        assertThat(read("zstd", zstdFrame(13), 100)).isEqualTo("x");
        assertThat(read("zstd", zstdFrame(14), 100)).isEmpty();
        assertThat(read("zstd", zstdFrame(17), 100)).isEmpty();
    }

    /** One byte of content in a frame with a window of 2^(10 + exponent) bytes (RFC 8878, 3.1). */
    private static byte[] zstdFrame(int exponent) {
        return new byte[] {
            0x28, (byte) 0xB5, 0x2F, (byte) 0xFD, 0, (byte) (exponent << 3), 9, 0, 0, 'x'
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "br", "zstd"})
    void aCodingThatBreaksOffGivesWhatCameBefore(String coding) throws IOException {
        var plain = new byte[400_000];
        new Random(3).nextBytes(plain);
        var packed = CompressedBodies.compress(coding, plain);
        for (var length = 0; length < packed.length; length += 9_973) {
            var content =
                    ContentReader.read(
                            exchange(coding, memory(Arrays.copyOf(packed, length))), 1 << 20);
            assertThat(Arrays.copyOf(content.bytes(), content.length()))
                    .isEqualTo(Arrays.copyOf(plain, content.length()));
            // Brotli's library buffers its output until its window is full.
            assertThat(content.length())
                    .isGreaterThanOrEqualTo(coding.equals("br") ? 0 : length - 200_000);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "br", "zstd", "gzip, br", "zstd, gzip"})
    void damagedCodingsNeverThrow(String names) throws IOException {
        var seed = 9L;
        var random = new Random(seed);
        var packed = "some text, some more text ".repeat(200).getBytes(ISO_8859_1);
        for (var coding : names.split(", ", -1)) {
            packed = CompressedBodies.compress(coding, packed);
        }
        for (var round = 0; round < 2_000; round++) {
            var damaged = packed.clone();
            for (var i = random.nextInt(4); i >= 0; i--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            var content = ContentReader.read(exchange(names, memory(damaged)), 50_000);
            assertThat(content.length()).as("seed %d", seed).isLessThanOrEqualTo(50_000);
        }
    }

    @Test
    void membersBehindEachOtherAreOneContentAndTrailingJunkIsNone() throws IOException {
        var out = new ByteArrayOutputStream();
        out.write(CompressedBodies.compress("gzip", "one ".getBytes(ISO_8859_1)));
        out.write(CompressedBodies.repeat(CompressedBodies.compress("gzip", new byte[0]), 100_000));
        out.write(new byte[] {0x1F, (byte) 0x8B, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 0});
        out.write("\2\0xxname\0comment\0cc".getBytes(ISO_8859_1));
        var two = CompressedBodies.compress("gzip", "two".getBytes(ISO_8859_1));
        out.write(two, 10, two.length - 10);
        out.write("junk".getBytes(ISO_8859_1));
        assertThat(read("gzip", out.toByteArray(), 100)).isEqualTo("one two");
    }

    @Test
    void aFileThatCannotBeReadIsOurOwnProblem() {
        var body = new Body.InFile(directory, 100); // A directory can be opened but not read.
        for (var coding : List.of("", "gzip", "zstd", "br", "deflate")) {
            assertThatThrownBy(() -> ContentReader.read(exchange(coding, body), 100))
                    .as(coding)
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void aBodyInAFileReadsTheSame() throws IOException {
        var packed = directory.resolve("body");
        Files.write(packed, CompressedBodies.compress("gzip", "hello".getBytes(ISO_8859_1)));
        var body = new Body.InFile(packed, Files.size(packed));
        assertThat(text(ContentReader.read(exchange("gzip", body), 100))).isEqualTo("hello");
        assertThat(ContentReader.read(exchange("", body), 100).length())
                .isEqualTo((int) Files.size(packed));
    }

    private static String read(String coding, byte[] body, int max) throws IOException {
        return text(ContentReader.read(exchange(coding, memory(body)), max));
    }

    private static String text(ContentReader.Content content) {
        return new String(content.bytes(), 0, content.length(), ISO_8859_1);
    }

    private static Body memory(byte[] bytes) {
        return new Body.InMemory(bytes, bytes.length);
    }

    private static Exchange exchange(String coding, Body body) {
        var head = "HTTP/1.1 200 OK\r\nContent-Encoding: " + coding + "\r\n\r\n";
        return new Exchange(
                TestFetcher.url("http://site.example/"),
                new byte[0],
                new ResponseHead(head.getBytes(ISO_8859_1), 200),
                body,
                InetAddress.getLoopbackAddress(),
                new Timings(Instant.EPOCH, Duration.ZERO, Duration.ZERO, Duration.ZERO),
                Optional.empty());
    }
}
