package dev.orbweaver.internal.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.testing.Fuzz;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

class HeaderDatesMutationTest {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    @Test
    void retryAfterIsFiniteAndNeverNegative() {
        Fuzz.of(
                        "retry-after",
                        List.of(
                                "120",
                                "Sun, 06 Nov 2094 08:49:37 GMT",
                                "Sun, 06 Nov 1994 08:49:37 GMT",
                                "Sunday, 06-Nov-94 08:49:37 GMT",
                                "Sun Nov  6 08:49:37 2094"),
                        "0",
                        "9",
                        "999999999999",
                        "-",
                        "+",
                        "GMT",
                        "UTC",
                        "+0100",
                        "31 Feb",
                        "Mon, ",
                        "24:00:00",
                        "23:59:60",
                        "999999999",
                        "-999999999",
                        " ",
                        ",",
                        "٣")
                .run(
                        (input, _) -> {
                            var text = new String(input, ISO_8859_1);
                            var asked =
                                    new RetryPolicy(2, Duration.ZERO)
                                            .retryAfter(Optional.of(text), NOW);
                            assertThat(asked.isNegative()).isFalse();
                            assertThat(asked).isLessThanOrEqualTo(Duration.ofDays(1));
                            assertThat(NOW.plus(asked)).isAfterOrEqualTo(NOW);
                        });
    }
}
