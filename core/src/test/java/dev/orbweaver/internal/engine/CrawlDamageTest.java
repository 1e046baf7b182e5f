package dev.orbweaver.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** The short form of {@code bench/run damage}. */
@Slow
class CrawlDamageTest {

    /** Every so many bytes; prime, so that the fields of no format are left out. */
    private static final int STEP = 197;

    @TempDir private Path directory;

    @Test
    void noDamagedByteOfAnyFileGoesUnnoticed() throws Exception {
        try (var damage = new CrawlDamage(directory)) {
            damage.requireSound();
            damage.everywhere(Integer.getInteger("orbweaver.damage", STEP), 1);
            System.out.println(damage.table());
            assertThat(damage.silent()).isEmpty();
            assertThat(damage.counts()).hasSizeGreaterThan(25);
        }
    }
}
