package dev.orbweaver.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.model.Body;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.model.Timings;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.zip.GZIPOutputStream;

class ContentReaderTest {

    @TempDir Path folder;

    @Test
    void aPlainBodyIsItsOwnContentUpToTheLimit() throws IOException {
        assertThat(read("", "hello".getBytes(ISO_8859_1), 10)).isEqualTo("hello");
        assertThat(read("", "hello".getBytes(ISO_8859_1), 3)).isEqualTo("hel");
        assertThat(read("identity", "hello".getBytes(ISO_8859_1), 0)).isEmpty();
    }

    @Test
    void gzipIsUndoneWhateverTheCaseOfItsName() throws IOException {
        var packed = gzip("hello".repeat(1_000).getBytes(ISO_8859_1));
        assertThat(read("gzip", packed, 100_000)).isEqualTo("hello".repeat(1_000));
        assertThat(read("X-GZIP", packed, 100_000)).isEqualTo("hello".repeat(1_000));
        assertThat(read("gzip", packed, 7)).isEqualTo("hellohe");
    }

    @Test
    void aBombIsReadOnlyAsFarAsAllowed() throws IOException {
        var out = new ByteArrayOutputStream();
        try (var packer = new GZIPOutputStream(out)) {
            for (var i = 0; i < 100; i++) {
                packer.write(new byte[1 << 20]);
            }
        }
        var content = ContentReader.read(exchange("gzip", memory(out.toByteArray())), 1 << 20);
        assertThat(content.length()).isEqualTo(1 << 20);
        assertThat(content.bytes().length).isEqualTo(1 << 20);
    }

    @Test
    void aGzipThatBreaksOffGivesWhatCameBefore() throws IOException {
        var plain = new byte[100_000];
        new Random(3).nextBytes(plain);
        var packed = gzip(plain);
        for (var length = 0; length < packed.length; length += 997) {
            var content =
                    ContentReader.read(
                            exchange("gzip", memory(Arrays.copyOf(packed, length))), 1 << 20);
            assertThat(Arrays.copyOf(content.bytes(), content.length()))
                    .isEqualTo(Arrays.copyOf(plain, content.length()));
            assertThat(content.length()).isGreaterThanOrEqualTo(length - 40_000);
        }
        var almost = Arrays.copyOf(packed, packed.length - 3);
        assertThat(ContentReader.read(exchange("gzip", memory(almost)), 1 << 20).length())
                .isEqualTo(plain.length);
    }

    @Test
    void damagedGzipNeverThrows() throws IOException {
        var seed = 9L;
        var random = new Random(seed);
        var packed = gzip("some text, some more text ".repeat(200).getBytes(ISO_8859_1));
        for (var round = 0; round < 2_000; round++) {
            var damaged = packed.clone();
            for (var i = random.nextInt(4); i >= 0; i--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            var content = ContentReader.read(exchange("gzip", memory(damaged)), 50_000);
            assertThat(content.length()).as("seed %d", seed).isLessThanOrEqualTo(50_000);
        }
    }

    @Test
    void aBodyInAFileReadsTheSame() throws IOException {
        var packed = folder.resolve("body");
        Files.write(packed, gzip("hello".getBytes(ISO_8859_1)));
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
                Client.url("http://site.example/"),
                new byte[0],
                new ResponseHead(head.getBytes(ISO_8859_1), 200),
                body,
                InetAddress.getLoopbackAddress(),
                new Timings(Instant.EPOCH, Duration.ZERO, Duration.ZERO, Duration.ZERO),
                Optional.empty());
    }

    private static byte[] gzip(byte[] plain) throws IOException {
        var out = new ByteArrayOutputStream();
        try (var packer = new GZIPOutputStream(out)) {
            packer.write(plain);
        }
        return out.toByteArray();
    }
}
