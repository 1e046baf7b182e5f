package dev.orbweaver.internal.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BackpressureTest {

    @Test
    void itBeginsAtTheLimitAndEndsAtHalfOfIt() {
        var pressure = new Backpressure(Long.MAX_VALUE, 100, 0);
        assertThat(pressure.update(1, 99, 1)).isFalse();
        assertThat(pressure.update(1, 100, 1)).isTrue();
        assertThat(pressure.update(1, 51, 1)).isTrue();
        assertThat(pressure.update(1, 50, 1)).isFalse();
        assertThat(pressure.update(1, 99, 1)).isFalse();
    }

    @Test
    void tooLittleFreeDiskIsPressureTooUntilThereIsEnoughAgain() {
        var pressure = new Backpressure(Long.MAX_VALUE, Long.MAX_VALUE, 1000);
        assertThat(pressure.update(1, 5, 999)).isTrue();
        assertThat(pressure.isActive()).isTrue();
        assertThat(pressure.update(1, 5, 1000)).isFalse();
    }

    @Test
    void theNumberOfUrlsIsALimitOfItsOwn() {
        var pressure = new Backpressure(100, 100, 0);
        assertThat(pressure.update(100, 0, 1)).isTrue();
        assertThat(pressure.update(51, 0, 1)).isTrue();
        assertThat(pressure.update(50, 51, 1)).as("both must have drained").isTrue();
        assertThat(pressure.update(50, 50, 1)).isFalse();
    }
}
