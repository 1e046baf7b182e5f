package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class VarintWriterTest {

    @Test
    void roomGrowsToWhatAnArrayCanHoldAndNoFurther() {
        assertThat(VarintWriter.capacity(16, 20)).isEqualTo(32);
        assertThat(VarintWriter.capacity(16, 100)).isEqualTo(100);
        assertThat(VarintWriter.capacity(1 << 30, (1L << 30) + 1))
                .isEqualTo(VarintWriter.LENGTH_MAX);
        assertThatThrownBy(() -> VarintWriter.capacity(1 << 30, 1L << 31))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "cannot write 2147483648 bytes at once; the limit is 2147483639"
                                + " bytes");
    }
}
