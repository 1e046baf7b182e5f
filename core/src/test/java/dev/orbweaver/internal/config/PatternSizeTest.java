package dev.orbweaver.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

import dev.orbweaver.config.ConfigException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class PatternSizeTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(?:(?:a{1000}){1000}){10}",
                "((a{100}){100}){2}",
                "(?:[a-z]{1000,}){11}",
                "(?:\\pL{500}){100}",
                "(?:x*){1000}{1000}",
                "(?P<n>a{1,1000}b){20}",
                "(?:[]{]{1000}){50}"
            })
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aPatternThatExpandsTooFarIsRefusedInASentence(String pattern) {
        assertThat(PatternSize.of(pattern)).isGreaterThan(10_000);
        assertThatThrownBy(() -> config("include", pattern))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("include: pattern '" + pattern + "' is too large")
                .hasMessageContaining("at most 10,000");
        assertThatThrownBy(() -> config("exclude", pattern)).isInstanceOf(ConfigException.class);
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void deeplyNestedGroupsAreRefused() {
        for (var pattern : List.of("(".repeat(3000) + "a" + ")".repeat(3000), "(?:".repeat(3000))) {
            assertThatThrownBy(() -> config("include", pattern))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("is too large");
        }
    }

    @Test
    void manyPatternsTogetherAreBoundedToo() {
        var settingValues = new SettingValues().put(Settings.SEEDS, List.of("http://a.test/"));
        settingValues.put("include", List.of("a{900}", "b{900}"));
        assertThat(problems(settingValues)).isEmpty();
        var many = new ArrayList<String>();
        for (var i = 0; i < 30; i++) {
            many.add("(?:a|b" + i + "){400}");
        }
        settingValues.put("include", many);
        assertThat(problems(settingValues)).contains("include: all patterns together");
    }

    private static String problems(SettingValues settingValues) {
        try {
            var _ = CrawlConfig.read(settingValues);
            return "";
        } catch (ConfigException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "^https?://[^/]*/docs/(?:guide|api)(?:[/?]|$)",
                "\\.(?:jpe?g|png|gif)$",
                "/20[0-9]{2}/[0-9]{1,2}/",
                "\\Qa{1000}{1000}(((\\E",
                "[({*+?]{5}",
                "a{,1000}",
                "\\{1000\\}"
            })
    void ordinaryPatternsAreTaken(String pattern) throws ConfigException {
        assertThat(config("include", pattern).scope().include()).hasSize(1);
    }

    /** The estimate is above the size of the program, or not far below it. */
    @Test
    void theEstimateIsOfTheOrderOfTheProgram() {
        var random = new Random(11);
        var parts =
                new String[] {
                    "a",
                    "bc",
                    ".",
                    "[a-z0-9]",
                    "\\d",
                    "(",
                    "(?:",
                    ")",
                    "|",
                    "*",
                    "+",
                    "?",
                    "{3}",
                    "{2,5}",
                    "{4,}",
                    "\\pL",
                    "\\x41",
                    "[[:alpha:]x]",
                    "\\Qab\\E",
                    "^",
                    "$",
                    "\\b"
                };
        var compiled = 0;
        for (var i = 0; i < 20_000; i++) {
            var text = new StringBuilder();
            for (var n = random.nextInt(12); n >= 0; n--) {
                text.append(parts[random.nextInt(parts.length)]);
            }
            var pattern = text.toString();
            if (PatternSize.of(pattern) > 10_000) {
                continue;
            }
            try {
                var size = Pattern.compile(pattern).programSize();
                compiled++;
                assertThat(PatternSize.of(pattern) * 3 + 3)
                        .as(pattern)
                        .isGreaterThanOrEqualTo(size);
            } catch (PatternSyntaxException e) {
                // Only patterns that RE2 accepts have a size.
            }
        }
        assertThat(compiled).isGreaterThan(2_000);
    }

    private static CrawlConfig config(String key, String pattern) throws ConfigException {
        return CrawlConfig.of("http://a.test/").withSetting(key, pattern);
    }
}
