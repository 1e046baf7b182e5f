package dev.orbweaver.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.model.Body;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

@Timeout(60)
class SpillBufferTest {

    @TempDir Path directory;

    @Test
    void fewBytesStayInMemoryAndOneMoreGoesToAFile() throws IOException {
        try (var buffer = new SpillBuffer(directory)) {
            buffer.write(new byte[SpillBuffer.MEMORY_MAX]);
            assertThat(buffer.finish()).isInstanceOf(Body.InMemory.class);
            assertThat(directory).isEmptyDirectory();
        }
        try (var buffer = new SpillBuffer(directory)) {
            buffer.write(new byte[SpillBuffer.MEMORY_MAX]);
            buffer.write(7);
            var body = buffer.finish();
            assertThat(body).isInstanceOf(Body.InFile.class);
            assertThat(body.length()).isEqualTo(SpillBuffer.MEMORY_MAX + 1);
        }
        assertThat(directory).isNotEmptyDirectory();
    }

    private static final int LARGE = 3 * SpillBuffer.MEMORY_MAX;

    private Body body(BodyMemory memory, int length) throws IOException {
        try (var buffer = new SpillBuffer(directory, memory)) {
            for (var written = 0; written < length; written += 10_000) {
                buffer.write(new byte[Math.min(10_000, length - written)]);
            }
            return buffer.finish();
        }
    }

    @Test
    void aLargeBodyStaysInMemoryUntilItIsReleased() throws IOException {
        var memory = new BodyMemory(2 * LARGE);
        var body = (Body.InMemory) body(memory, LARGE);
        assertThat(body.size()).isEqualTo(LARGE);
        assertThat(directory).isEmptyDirectory();
        assertThat(memory.reserved()).isEqualTo(body.bytes().length).isGreaterThanOrEqualTo(LARGE);
        memory.release(body);
        memory.release(body);
        assertThat(memory.reserved()).isZero();
    }

    @Test
    void aLargeBodyGoesToAFileWhenOthersHaveTheMemory() throws IOException {
        var memory = new BodyMemory(2 * LARGE);
        var first = body(memory, LARGE);
        var used = memory.reserved();
        assertThat(body(memory, LARGE)).isInstanceOf(Body.InFile.class);
        assertThat(memory.reserved()).as("the second keeps nothing").isEqualTo(used);
        memory.release(first);
        assertThat(body(memory, LARGE)).isInstanceOf(Body.InMemory.class);
    }

    @Test
    void aVeryLargeBodyGoesToAFileHoweverMuchMemoryThereIs() throws IOException {
        var memory = new BodyMemory(Long.MAX_VALUE);
        assertThat(body(memory, BodyMemory.PER_BODY_MAX)).isInstanceOf(Body.InMemory.class);
        var used = memory.reserved();
        assertThat(body(memory, BodyMemory.PER_BODY_MAX + 1)).isInstanceOf(Body.InFile.class);
        assertThat(memory.reserved()).isEqualTo(used);
    }

    @Test
    void anAbandonedBodyReleasesItsMemory() throws IOException {
        var memory = new BodyMemory(LARGE);
        try (var buffer = new SpillBuffer(directory, memory)) {
            buffer.write(new byte[SpillBuffer.MEMORY_MAX + 1]);
            assertThat(memory.reserved()).isGreaterThan(SpillBuffer.MEMORY_MAX);
        }
        assertThat(memory.reserved()).isZero();
    }

    @Test
    void anAnnouncedLengthReservesNothingBeforeBytesArrive() throws IOException {
        var memory = new BodyMemory(BodyMemory.PER_BODY_MAX);
        try (var buffer = new SpillBuffer(directory, memory)) {
            buffer.expect(BodyMemory.PER_BODY_MAX);
            buffer.write(new byte[SpillBuffer.MEMORY_MAX]);
            assertThat(memory.reserved()).isZero();
            buffer.write(1);
            assertThat(memory.reserved()).isEqualTo(2 * SpillBuffer.MEMORY_MAX);
        }
    }

    @Test
    void whatComesOutIsWhatWentInHoweverItCame() throws IOException {
        var seed = 77L;
        var random = new Random(seed);
        for (var round = 0; round < 60; round++) {
            var bytes = new byte[random.nextInt(2 * SpillBuffer.MEMORY_MAX)];
            random.nextBytes(bytes);
            var memory = new BodyMemory(random.nextInt(4) * (long) SpillBuffer.MEMORY_MAX);
            try (var buffer = new SpillBuffer(directory, memory)) {
                if (random.nextBoolean()) {
                    buffer.expect(random.nextInt(4) * (long) bytes.length / 2);
                }
                for (var at = 0; at < bytes.length; ) {
                    var count = Math.min(bytes.length - at, 1 + random.nextInt(50_000));
                    buffer.write(ByteBuffer.wrap(bytes, at, count));
                    at += count;
                }
                assertThat(buffer.length()).isEqualTo(bytes.length);
                assertThat(content(buffer.finish()))
                        .as("seed %d round %d", seed, round)
                        .isEqualTo(bytes);
            }
        }
        assertThat(directory).isEmptyDirectory();
    }

    private static byte[] content(Body body) throws IOException {
        return switch (body) {
            case Body.InMemory(var bytes, var size) -> Arrays.copyOf(bytes, size);
            case Body.InFile(var file, _) -> {
                var bytes = Files.readAllBytes(file);
                Files.delete(file);
                yield bytes;
            }
        };
    }

    @Test
    void anAnnouncementAloneReservesLittle() throws IOException {
        try (var buffer = new SpillBuffer(directory)) {
            buffer.expect(Long.MAX_VALUE);
            buffer.write(1);
            var body = (Body.InMemory) buffer.finish();
            assertThat(body.bytes().length).isLessThanOrEqualTo(32 << 10);
        }
    }

    @Test
    void whatIsNotHandedOverIsDeleted() throws IOException {
        try (var buffer = new SpillBuffer(directory)) {
            buffer.write(new byte[SpillBuffer.MEMORY_MAX + 1]);
            assertThat(directory).isNotEmptyDirectory();
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aClosedBufferTakesNothingAndMakesNoFile() throws IOException {
        var buffer = new SpillBuffer(directory);
        buffer.close();
        assertThatThrownBy(() -> buffer.write(new byte[SpillBuffer.MEMORY_MAX + 1]))
                .isInstanceOf(IOException.class);
        buffer.close();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aBufferClosedWhileAnotherThreadWritesLeavesNoFile() throws Exception {
        for (var round = 0; round < 200; round++) {
            var buffer = new SpillBuffer(directory);
            buffer.write(new byte[SpillBuffer.MEMORY_MAX]);
            var ready = new CountDownLatch(1);
            var writer = Thread.ofPlatform().start(() -> writeUntilRefused(buffer, ready));
            ready.await();
            buffer.close();
            writer.join();
            assertThat(directory).isEmptyDirectory();
        }
    }

    private static void writeUntilRefused(SpillBuffer buffer, CountDownLatch ready) {
        ready.countDown();
        try {
            while (true) {
                buffer.write(new byte[100]);
            }
        } catch (IOException refused) {
            assertThat(refused).hasMessageContaining("closed");
        }
    }
}
