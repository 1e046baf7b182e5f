package dev.orbweaver.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

class AtomicFileTest {

    @TempDir private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"", "7\n", "a\tb\nc\td\n", "{\"a\":1}\n", "{\n  \"a\" : 1\n}\n", "{}"})
    void everyFlippedBitAndEveryCutIsNoticed(String text) {
        var bytes = AtomicFile.withChecksum(text).getBytes(UTF_8);
        assertThat(AtomicFile.verifiedText(bytes)).contains(text);
        for (var bit = 0; bit < bytes.length * 8; bit++) {
            var flipped = bytes.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThat(AtomicFile.verifiedText(flipped)).isEmpty();
        }
        for (var length = 0; length < bytes.length; length++) {
            assertThat(AtomicFile.verifiedText(Arrays.copyOf(bytes, length))).isEmpty();
        }
    }

    @Test
    void anObjectStaysOne() {
        var read = JsonMapper.shared().readTree(AtomicFile.withChecksum("{\n  \"a\" : 1\n}\n"));
        assertThat(read.path("a").asInt()).isEqualTo(1);
        assertThat(read.path("checksum").asString()).startsWith("crc32c:");
    }

    @Test
    void aDamagedFileIsRefusedInASentence() throws IOException {
        var file = directory.resolve("some.tsv");
        AtomicFile.replace(new RealDisk(), file, "a\tb\n");
        assertThatThrownBy(() -> AtomicFile.read(new RealDisk(), file))
                .isInstanceOf(AtomicFile.DamagedException.class)
                .hasMessageContaining(file + " is damaged");
    }
}
