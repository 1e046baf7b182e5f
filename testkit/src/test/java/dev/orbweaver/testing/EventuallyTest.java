package dev.orbweaver.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

class EventuallyTest {

    @Test
    void theFirstAcceptedValueIsReturned() {
        var calls = new AtomicInteger();
        var found =
                Eventually.value(
                        Eventually.LIMIT, "three", calls::incrementAndGet, value -> value == 3);
        assertThat(found).isEqualTo(3);
        assertThat(calls).hasValue(3);
    }

    @Test
    void aFailureNamesWhatWasAwaitedAndTheLastValue() {
        assertThatThrownBy(
                        () ->
                                Eventually.value(
                                        Duration.ofMillis(1), "a dog", () -> "cat", "dog"::equals))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("a dog")
                .hasMessageContaining("cat");
    }

    @Test
    void anInterruptEndsTheWait() {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> Eventually.until("never", () -> false))
                    .hasMessageContaining("interrupted");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }
}
