package dev.orbweaver.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.config.ConfigException;

import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.List;
import java.util.Map;

class EnvironmentVariablesTest {

    @Test
    void everySettingHasAVariableOfItsOwn() {
        var names = new HashSet<String>(EnvironmentVariables.RESERVED);
        for (var setting : Settings.CORE.all()) {
            var name = EnvironmentVariables.nameOf(setting.key());
            assertThat(name).matches("ORBWEAVER_[A-Z0-9_]+");
            assertThat(names.add(name)).as(name).isTrue();
            assertThat(read(Map.of(name, "x")).list(setting.key())).containsExactly("x");
        }
        assertThat(EnvironmentVariables.nameOf("max-pages")).isEqualTo("ORBWEAVER_MAX_PAGES");
    }

    @Test
    void aListHasOneValuePerLine() {
        var values =
                read(
                        Map.of(
                                "ORBWEAVER_EXCLUDE", "/a,b c\n\n  /d{1,2}\n",
                                "ORBWEAVER_CONTACT", " me@example.com ",
                                "ORBWEAVER_SCOPE", "",
                                "PATH", "/bin"));
        assertThat(values.list("exclude")).containsExactly("/a,b c", "/d{1,2}");
        assertThat(values.list("contact")).containsExactly("me@example.com");
        assertThat(values.has("scope")).as("an empty variable").isFalse();
    }

    @Test
    void aWrongValueIsReportedWithItsVariable() {
        var values =
                read(Map.of("ORBWEAVER_MAX_PAGES", "many", "ORBWEAVER_DELAY", "soon"))
                        .put(Settings.SEEDS, "http://a.test/")
                        .put("delay", "later");
        assertThatThrownBy(() -> CrawlConfig.read(new SettingValues().putAll(values)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(
                        "max-pages: 'many' is not a whole number, 1 or more, or none"
                                + " (from the environment variable ORBWEAVER_MAX_PAGES)")
                .hasMessageContaining("delay: 'later' is not")
                .message()
                .doesNotContain("ORBWEAVER_DELAY");
    }

    @Test
    void anUnknownVariableIsNamedWithTheOneThatWasProbablyMeant() {
        var environment =
                Map.of(
                        "ORBWEAVER_MAX_PAGS", "5",
                        "ORBWEAVER_PASSWORD_OF_THE_SITE", "x",
                        "ORBWEAVER_REDIS", "redis://h",
                        "ORBWEAVER_VECTORS", "/x",
                        "ORBWEAVER_MAX_PAGES", "5",
                        "HOME", "/");
        assertThat(
                        EnvironmentVariables.unknown(
                                environment,
                                Settings.CORE,
                                "ORBWEAVER_PASSWORD_OF_THE_SITE"::equals))
                .containsExactly(
                        "unknown environment variable ORBWEAVER_MAX_PAGS is ignored; did you mean"
                                + " ORBWEAVER_MAX_PAGES?");
    }

    @Test
    void aRepeatedListKeepsAllValuesOfOneSourceAndNoneOfTheSourcesBelow() throws Exception {
        var values =
                new SettingValues()
                        .put("exclude", List.of("old"))
                        .putPairs(List.of("exclude=a", "delay=1s", "exclude=b=c", "delay=2s"));
        assertThat(values.list("exclude")).containsExactly("a", "b=c");
        assertThat(values.list("delay")).containsExactly("2s");
        assertThat(values.putPairs(List.of("exclude=")).list("exclude")).isEmpty();
        assertThat(values.has("exclude")).isTrue();
    }

    @Test
    void anEmptyListInAFileIsEmptyAndAnEmptyPatternIsAnError() throws Exception {
        for (var text : List.of("exclude:\n", "exclude: ''\n", "exclude: []\n")) {
            assertThat(YamlFile.parse(text, "x", Settings.CORE).list("exclude")).as(text).isEmpty();
        }
        var values =
                new SettingValues()
                        .put(Settings.SEEDS, "http://a.test/")
                        .put("exclude", List.of("/a", ""));
        assertThatThrownBy(() -> CrawlConfig.read(values))
                .hasMessage("exclude: a pattern is empty, so it would match every URL");
    }

    private static SettingValues read(Map<String, String> environment) {
        return EnvironmentVariables.read(environment, Settings.CORE);
    }
}
