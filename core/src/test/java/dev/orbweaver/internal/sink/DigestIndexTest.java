package dev.orbweaver.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

class DigestIndexTest {

    @TempDir Path directory;

    @Test
    void itKnowsWhatAPlainMapKnowsAlsoAfterGrowingAndOpeningAgain() throws IOException {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        var oracle = new HashMap<Long, DigestIndex.IndexedRecord>();
        try (var index =
                DigestIndex.create(
                        new RealDisk(), directory.resolve(DirectoryLayout.DIGEST_INDEX))) {
            for (var i = 1; i <= 20_000; i++) {
                var digest = random.nextLong() | 1;
                var indexedRecord =
                        new DigestIndex.IndexedRecord(
                                i,
                                random.nextInt(1 << 20),
                                random.nextLong(1L << 40),
                                random.nextInt(Integer.MAX_VALUE));
                index.add(digest, indexedRecord);
                oracle.putIfAbsent(digest, indexedRecord);
            }
            check(index, oracle, seed);
        }
        try (var index = DigestIndex.open(new RealDisk(), directory, 20_000).orElseThrow()) {
            check(index, oracle, seed);
        }
        oracle.values().removeIf(indexedRecord -> indexedRecord.capture() > 12_345);
        try (var index = DigestIndex.open(new RealDisk(), directory, 12_345).orElseThrow()) {
            check(index, oracle, seed);
            assertThat(index.find(2)).isEmpty();
        }
    }

    /** Few entries are replaced while there is space; none is ever wrong. */
    private static void check(
            DigestIndex index, Map<Long, DigestIndex.IndexedRecord> oracle, long seed) {
        var lost = 0;
        for (var entry : oracle.entrySet()) {
            var found = index.find(entry.getKey());
            lost += found.isEmpty() ? 1 : 0;
            found.ifPresent(
                    indexedRecord ->
                            assertThat(indexedRecord)
                                    .as("seed %d", seed)
                                    .isEqualTo(entry.getValue()));
        }
        assertThat(lost).as("seed %d", seed).isLessThan(oracle.size() / 100);
    }

    @Slow
    @Test
    void itNeverGrowsBeyondItsLimitAndKeepsTheNewest() throws IOException {
        var many = DigestIndex.SLOTS_MAX * 3;
        var random = new Random(7);
        var last = 0L;
        try (var index =
                DigestIndex.create(
                        new RealDisk(), directory.resolve(DirectoryLayout.DIGEST_INDEX))) {
            for (var i = 1; i <= many; i++) {
                last = random.nextLong() | 1;
                index.add(last, new DigestIndex.IndexedRecord(i, 1, i, 1));
            }
            assertThat(index.find(last)).isPresent();
        }
        assertThat(Files.size(directory.resolve(DirectoryLayout.DIGEST_INDEX)))
                .isEqualTo(16 + 32L * DigestIndex.SLOTS_MAX);
    }
}
