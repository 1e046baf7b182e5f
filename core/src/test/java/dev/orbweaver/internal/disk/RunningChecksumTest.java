package dev.orbweaver.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.Random;

class RunningChecksumTest {

    @Test
    void goingOnFromAStoredValueGivesTheChecksumOfTheWhole() {
        var random = new Random(17);
        for (var run = 0; run < 200; run++) {
            var bytes = new byte[random.nextInt(5_000)];
            random.nextBytes(bytes);
            var checksum = new RunningChecksum(0);
            for (var at = 0; at < bytes.length; ) {
                var count = Math.min(bytes.length - at, random.nextInt(900));
                checksum.update(ByteBuffer.wrap(bytes, at, count));
                at += count;
                checksum = new RunningChecksum(checksum.value());
            }
            assertThat(checksum.value()).isEqualTo(RunningChecksum.of(bytes));
        }
    }

    @Test
    void itIsTheChecksumOfTheStandard() {
        assertThat(
                        RunningChecksum.of(
                                "123456789".getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                .isEqualTo(0xE3069283);
    }
}
