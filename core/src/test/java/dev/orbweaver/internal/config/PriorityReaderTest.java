package dev.orbweaver.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.scope.PriorityRules;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Collections;
import java.util.List;

class PriorityReaderTest {

    private static PriorityRules rules(String... rules) throws ConfigException {
        return CrawlConfig.read(
                        new SettingValues()
                                .put(Settings.SEEDS, List.of("https://example.com/"))
                                .put("priority", List.of(rules)))
                .crawl()
                .priorities();
    }

    private static int points(PriorityRules rules, String url) {
        return rules.points(new CrawlUrls(Normalisation.DEFAULT).parse(url).orElseThrow());
    }

    @ParameterizedTest
    @CsvSource({
        "https://example.com/news/1, 20",
        "https://example.com/a, 0",
        "https://example.com/a.PNG, -30",
        "https://example.com/news/a.jpeg, -10",
        "https://docs.example.com/a.pdf, 10",
        "https://example.org/a.pdf, 0",
    })
    void thePointsOfAllRulesThatMatchAdd(String url, int points) throws Exception {
        var rules = rules("/news/ +20", "type:image -30", "host:.example.com type:document +10");
        assertThat(points(rules, url)).isEqualTo(points);
    }

    @Test
    void fivePointsDoubleTheWeightOfAUrl() throws Exception {
        var url = "https://example.com/news/1";
        var single = points(rules("/news/ weight=1"), url);
        assertThat(points(rules("/news/ weight=8"), url)).isEqualTo(single + 15);
        assertThat(points(rules("/news/ weight=2", "/1 weight=4"), url)).isEqualTo(single + 15);
        assertThat(points(rules("/news/ weight=0.25", "/1 +7"), url)).isEqualTo(single - 3);
        assertThat(points(rules("type:image weight=9"), url)).isEqualTo(single);
        assertThat(points(rules("host:.example.org weight=9"), url)).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/news/",
                "+20",
                "/news/ +101",
                "/news/ weight=0",
                "/news/ weight=101",
                "/news/ weight=",
                "weight=2",
                "type:movie +1",
                "host:*x +1",
                "a b +1",
                "( +1",
                ""
            })
    void aWrongRuleSaysWhatIsExpected(String rule) {
        assertThatThrownBy(() -> rules(rule))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("is not a rule such as '/news/ +20'")
                .hasMessageContaining("document, image, audio");
    }

    @Test
    void thereMayBeAHundredRules() {
        var many = Collections.nCopies(101, "/a +1").toArray(String[]::new);
        assertThatThrownBy(() -> rules(many)).hasMessageContaining("at most 100 rules");
    }
}
