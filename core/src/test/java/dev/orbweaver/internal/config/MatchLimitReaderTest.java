package dev.orbweaver.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.frontier.IntakeLimits;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class MatchLimitReaderTest {

    private static IntakeLimits limits(String... rules) throws ConfigException {
        return CrawlConfig.read(
                        new SettingValues()
                                .put(Settings.SEEDS, List.of("https://example.com/"))
                                .put("max-urls-matching", List.of(rules)))
                .intake();
    }

    private static List<String> matching(IntakeLimits limits, String url) {
        return limits
                .matching(new CrawlUrls(Normalisation.DEFAULT).parse(url).orElseThrow())
                .stream()
                .map(limit -> limit.name() + " at most " + limit.max())
                .toList();
    }

    @Test
    void everyLimitWhoseConditionHoldsApplies() throws Exception {
        var limits = limits("type:image 2000", "/a/ host:.example.com 0");
        assertThat(matching(limits, "https://example.com/b")).isEmpty();
        assertThat(matching(limits, "https://example.org/a/b.png"))
                .containsExactly("type:image at most 2000");
        assertThat(matching(limits, "https://www.example.com/a/b.png"))
                .containsExactly("type:image at most 2000", "host:.example.com /a/ at most 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"type:image", "1000", "type:image -1", "type:image many", "a b 1", ""})
    void aWrongRuleSaysWhatIsExpected(String rule) {
        assertThatThrownBy(() -> limits(rule))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("is not a rule such as 'type:image 1000'");
    }

    @Test
    void aConditionHasOneLimit() {
        assertThatThrownBy(() -> limits("/a/ type:image 1", "type:image /a/ 2"))
                .hasMessageContaining("has two limits");
    }
}
