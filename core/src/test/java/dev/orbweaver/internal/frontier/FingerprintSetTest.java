package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.Fingerprint;

import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.Random;

class FingerprintSetTest {

    @Test
    void itHoldsExactlyWhatAHashSetHolds() {
        for (var seed = 1; seed <= 5; seed++) {
            var random = new Random(seed);
            var set = new FingerprintSet();
            var oracle = new HashSet<Fingerprint>();
            for (var i = 0; i < 40_000; i++) {
                // Few bits, so that keys repeat, share their high part and collide.
                var high = random.nextLong() & (i % 3 == 0 ? 0xFFL : 0xFFFF_0000_00FFL);
                var key = new Fingerprint(high, (short) random.nextInt(4));
                assertThat(set.contains(key)).as("seed %d", seed).isEqualTo(oracle.contains(key));
                assertThat(set.addIfNew(key)).as("seed %d", seed).isEqualTo(oracle.add(key));
                assertThat(set.size()).as("seed %d", seed).isEqualTo(oracle.size());
            }
            var listed = new HashSet<Fingerprint>();
            set.forEach(key -> assertThat(listed.add(key)).isTrue());
            assertThat(listed).as("seed %d", seed).isEqualTo(oracle);
        }
    }

    @Test
    void theKeyOfAllZeroesIsAKeyLikeAnyOther() {
        var zero = new Fingerprint(0, (short) 0);
        var set = new FingerprintSet();
        assertThat(set.contains(zero)).isFalse();
        assertThat(set.addIfNew(zero)).isTrue();
        assertThat(set.addIfNew(zero)).isFalse();
        assertThat(set.contains(zero)).isTrue();
        assertThat(set.contains(new Fingerprint(0, (short) 1))).isFalse();
        assertThat(set.size()).isEqualTo(1);
    }
}
