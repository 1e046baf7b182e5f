package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.parse.SimHash;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Random;

class NearDuplicateIndexTest {

    @Test
    void tablesOfTheSameFormWithOtherWordsAreNotNear() {
        var one = new StringBuilder();
        var two = new StringBuilder();
        for (var row = 0; row < 60; row++) {
            one.append("| see also | in module | a").append(row).append(" |\n");
            two.append("| see also | in module | b").append(row).append(" |\n");
        }
        var distance =
                SimHash.distance(
                        TextFingerprint.of(one.toString()), TextFingerprint.of(two.toString()));
        assertThat(distance).isGreaterThan(10);
    }

    @Test
    void itFindsWhatComparingWithEveryOtherFinds() {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        var near = new NearDuplicateIndex();
        var leaders = new ArrayList<Long>();
        for (var i = 0; i < 5_000; i++) {
            var hash = random.nextLong();
            if (!leaders.isEmpty() && random.nextBoolean()) {
                hash = leaders.get(random.nextInt(leaders.size()));
                for (var bits = random.nextInt(6); bits > 0; bits--) {
                    hash ^= 1L << random.nextInt(64);
                }
            }
            var expected = -1;
            for (var at = 0; at < leaders.size() && expected < 0; at++) {
                expected =
                        SimHash.distance(leaders.get(at), hash) <= NearDuplicateIndex.DISTANCE_MAX
                                ? at
                                : -1;
            }
            if (expected < 0) {
                expected = leaders.size();
                leaders.add(hash);
            }
            assertThat(near.leader(hash)).as("seed %d, step %d", seed, i).isEqualTo(expected);
        }
        assertThat(near.size()).isEqualTo(leaders.size());
    }
}
