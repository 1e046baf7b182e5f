package dev.orbweaver.internal.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.disk.SimulatedDisk;
import dev.orbweaver.model.Fingerprint;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

class SeenTableTest {

    private static final Path FILE = Path.of("frontier", "seen-0.table");

    /** The number of slots per part in the smallest table. */
    private static final int ROW = 8;

    private final SimulatedDisk disk = new SimulatedDisk();

    private static Fingerprint random(Random random) {
        return new Fingerprint(random.nextLong(), (short) random.nextInt());
    }

    @Test
    void itHoldsWhatAHashSetHoldsHoweverOftenItGrows() throws IOException {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        var oracle = new HashSet<Fingerprint>();
        try (var table = SeenTable.create(disk, FILE, 0)) {
            for (var i = 0; i < 40_000; i++) {
                // Only one part in 64, so that rows fill up.
                var key = new Fingerprint(random.nextLong() >>> 6, (short) random.nextInt(3));
                assertThat(table.contains(key.high(), key.low()))
                        .as("seed %d", seed)
                        .isEqualTo(oracle.contains(key));
                while (!table.add(key.high(), key.low())) {
                    table.grow();
                }
                oracle.add(key);
                assertThat(table.count()).as("seed %d", seed).isEqualTo(oracle.size());
            }
            assertThat(table.bytes()).isEqualTo(disk.length(FILE)).isGreaterThan(3L << 22);
            expect(oracle, table, seed);
        }
        try (var again = SeenTable.open(disk, FILE)) {
            expect(oracle, again, seed);
        }
    }

    private static void expect(Set<Fingerprint> oracle, SeenTable table, long seed) {
        var listed = new HashSet<Fingerprint>();
        table.forEach((high, low) -> listed.add(new Fingerprint(high, low)));
        assertThat(listed.equals(oracle)).as("all of it, with seed %d", seed).isTrue();
        assertThat(table.count()).isEqualTo(oracle.size());
        assertThat(table.checksum())
                .isEqualTo(
                        oracle.stream()
                                .mapToLong(key -> SeenTable.checksumOf(key.high(), key.low()))
                                .sum());
        for (var key : oracle) {
            assertThat(table.contains(key.high(), key.low())).as("seed %d", seed).isTrue();
        }
    }

    @Test
    void aFullRowOverflowsAndKnowsWhatItHasAfterGrowingAndOpening() throws IOException {
        var room = ROW + SeenTable.OVERFLOW_MAX;
        var oracle = new HashSet<Fingerprint>();
        try (var table = SeenTable.create(disk, FILE, 0)) {
            var before = table.bytes();
            // All start at the last slot: probing continues at the front of the row.
            for (var i = 1; i <= room; i++) {
                var key = new Fingerprint(0x0007_FFFF_FFFF_0000L | i, (short) i);
                assertThat(table.add(key.high(), key.low())).isTrue();
                assertThat(table.add(key.high(), key.low())).isTrue();
                oracle.add(key);
            }
            var more = 0x0007_FFFF_FFFF_0000L;
            assertThat(table.add(more, (short) 1)).as("no room is left").isFalse();
            assertThat(table.contains(more, (short) 1)).isFalse();
            assertThat(table.bytes()).isEqualTo(before);
            assertThat(table.isSparse()).as("a longer row for all would be waste").isTrue();
            expect(oracle, table, 0);
            table.grow();
            expect(oracle, table, 0);
            assertThat(table.add(more, (short) 1)).isTrue();
            oracle.add(new Fingerprint(more, (short) 1));
        }
        try (var again = SeenTable.open(disk, FILE)) {
            expect(oracle, again, 0);
        }
    }

    @Test
    void theKeyThatLooksLikeAnEmptySlotIsOneForEachPart() throws IOException {
        try (var table = SeenTable.create(disk, FILE, 0)) {
            for (var part : new long[] {0, 1, 0xFFFF}) {
                assertThat(table.contains(part << 48, (short) 0)).isFalse();
                assertThat(table.add(part << 48, (short) 0)).isTrue();
                assertThat(table.add(part << 48, (short) 0)).isTrue();
                assertThat(table.contains(part << 48, (short) 0)).isTrue();
            }
            assertThat(table.count()).isEqualTo(3);
            assertThat(table.contains(2L << 48, (short) 0)).isFalse();
        }
    }

    @Test
    void roomIsMadeForAsManyAsAreExpected() throws IOException {
        var random = new Random(5);
        try (var table = SeenTable.create(disk, FILE, 200_000)) {
            for (var i = 0; i < 200_000; i++) {
                var key = random(random);
                var _ = table.add(key.high(), key.low());
            }
            assertThat(table.isFull()).isFalse();
            assertThat(table.count())
                    .as("but for rows with more than their share")
                    .isGreaterThan(199_900);
        }
    }

    @Test
    void aFileThatIsNoTableIsRefused() throws IOException {
        for (var bytes : new byte[][] {{}, {1, 2, 3}, new byte[4096], new byte[5000]}) {
            disk.put(FILE, bytes);
            assertThatThrownBy(() -> SeenTable.open(disk, FILE))
                    .hasMessageContaining("is not a seen table of this version");
        }
    }
}
