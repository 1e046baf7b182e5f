package dev.orbweaver.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;

class QuantitiesTest {

    @ParameterizedTest
    @CsvSource({
        "500ms, PT0.5S",
        "2s, PT2S",
        "5m, PT5M",
        "1h, PT1H",
        "2d, PT48H",
        "7, PT7S",
        "0, PT0S",
        "1.5, PT1.5S",
        ".5h, PT30M",
        "0.25ms, PT0.00025S",
        "' 3 S ', PT3S",
        "10 ms, PT0.01S"
    })
    void durationsAreWrittenAsPeopleDo(String text, Duration expected) {
        assertThat(Quantities.duration(text)).contains(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "17, 17",
        "17b, 17",
        "1KB, 1024",
        "1.5kb, 1536",
        "20MB, 20971520",
        "1 GB, 1073741824",
        "2TB, 2199023255552"
    })
    void sizesAreWrittenAsPeopleDo(String text, long expected) {
        assertThat(Quantities.size(text)).contains(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "s",
                "ms",
                "-1",
                "-1s",
                "+1",
                "1x",
                "1 s s",
                "1,5",
                "1..5",
                ".",
                "1e3",
                "٣",
                "0x10",
                "NaN",
                "1s2",
                "99999999999999999999999",
                "300000d",
                "0.0000000001",
                "10000000TB",
                "s1"
            })
    void nonsenseIsNoQuantity(String text) {
        assertThat(Quantities.duration(text)).isEmpty();
        assertThat(Quantities.size(text.replace("ms", "kb").replace('s', 'b'))).isEmpty();
    }

    @Test
    void countsAreWholeAndWithoutSign() {
        assertThat(Quantities.count("0012")).contains(12L);
        assertThat(Quantities.count("999999999999999999")).contains(999_999_999_999_999_999L);
        for (var bad : new String[] {"", "-1", "+1", "1.0", "1_000", "9223372036854775808", "٣"}) {
            assertThat(Quantities.count(bad)).as(bad).isEmpty();
        }
    }
}
