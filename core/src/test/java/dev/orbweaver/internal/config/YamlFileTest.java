package dev.orbweaver.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.Problem;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class YamlFileTest {

    @TempDir Path directory;

    @Test
    void theEffectiveSettingsAreReadBackAsTheyWere() throws Exception {
        var settingValues =
                new SettingValues()
                        .put(Settings.SEEDS, List.of("a.test", "http://b.test/?q='\"#: x"))
                        .put("exclude", List.of("\\.php$", "^https?://[^/]+/a: b", "'", "# no"))
                        .put("delay", "0")
                        .put("max-pages", "100")
                        .put("sitemaps", "false")
                        .put("user-agent", "Foo/1: \"x\"")
                        .put("resolve", List.of("a.test=192.0.2.1"))
                        .put("skip-extensions", List.of());
        assertSurvives(CrawlConfig.read(settingValues));
        assertSurvives(CrawlConfig.of("a.test"));
        assertSurvives(CrawlConfig.of("a.test").withSetting("delay", "20ms"));
        assertSurvives(
                CrawlConfig.of("a.test")
                        .withSetting("delay", "20ms")
                        .withSetting("delay-ip", "3s"));
    }

    private void assertSurvives(CrawlConfig config) throws Exception {
        var text = YamlFile.write(config.settingValues());
        var again = CrawlConfig.read(YamlFile.read(file(text), Settings.CORE));
        assertThat(CrawlConfigTest.withoutValues(again))
                .isEqualTo(CrawlConfigTest.withoutValues(config));
        assertThat(YamlFile.write(again.settingValues())).isEqualTo(text);
        for (var setting : Settings.CORE.all()) {
            assertThat(text).containsPattern("(?m)^" + setting.key() + ":");
        }
    }

    @Test
    void aFileMayBeWrittenTheWayPeopleWriteYaml() throws Exception {
        var file =
                file(
                        """
                        # my crawl
                        seeds:
                          - example.com
                          - https://b.test/
                        max-pages: 1000
                        delay: 1.5
                        sitemaps: no
                        page-requisites: true
                        include: [ "/docs/", '/blog/' ]
                        exclude: /tag/
                        contact:
                        """);
        var config = CrawlConfig.read(YamlFile.read(file, Settings.CORE));
        assertThat(config.seeds()).hasSize(2);
        assertThat(config.crawl().limits().pages()).isEqualTo(1000);
        assertThat(config.politeness().hostDelay()).hasMillis(1500);
        assertThat(config.crawl().sitemaps()).isFalse();
        assertThat(config.scope().requisites()).isTrue();
        assertThat(config.scope().include()).hasSize(2);
        assertThat(config.scope().exclude()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "# nothing\n", "---\n", "\n\n"})
    void anEmptyFileSaysNothing(String text) throws Exception {
        assertThat(YamlFile.read(file(text), Settings.CORE).has("delay")).isFalse();
    }

    @Test
    void whatIsNotYamlIsNamedByFileAndLine() throws Exception {
        var file = file("delay: 1s\nmax-pages: 5\ninclude: [ a\ndepth: 1\n");
        assertThat(problems(file))
                .singleElement()
                .asString()
                .matches("\\Q" + file + "\\E, line [345]: invalid YAML");
    }

    @Test
    void aNameGivenTwiceIsNotGuessedAt() throws Exception {
        var file = file("delay: 1s\ndepth: 1\ndelay: 0\n");
        assertThat(problems(file)).containsExactly(file + ", line 3: duplicate name");
    }

    @Test
    void everyValueOfAWrongShapeIsReported() throws Exception {
        var file =
                file(
                        """
                        politeness:
                          delay: 1s
                        seeds:
                          - http: //a.test/
                        include:
                          - [a]
                        delay: [1s, 2s]
                        """);
        assertThat(problems(file))
                .containsExactly(
                        file + ": politeness: expected a value or a list, not a map",
                        file
                                + ": seeds: expected a list of plain values; quote values with a"
                                + " colon or brackets",
                        file
                                + ": include: expected a list of plain values; quote values with a"
                                + " colon or brackets",
                        file + ": delay: expected one value, not a list");
        assertThat(
                        catchThrowableOfType(
                                        ConfigException.class,
                                        () -> YamlFile.read(file, Settings.CORE))
                                .problems())
                .extracting(Problem::key)
                .containsExactly("politeness", "seeds", "include", "delay");
    }

    @ParameterizedTest
    @ValueSource(strings = {"- a\n- b\n", "just words", "42"})
    void aFileOfAnotherShapeIsRefused(String text) throws Exception {
        var file = file(text);
        assertThat(problems(file))
                .containsExactly(file + ": expected lines of the form 'name: value'");
    }

    @Test
    void aFileThatIsNotThereOrNotTextIsNamed() throws Exception {
        var absent = directory.resolve("absent.yaml");
        assertThat(problems(absent))
                .containsExactly("cannot read settings file " + absent + ": no such file");
        var binary =
                Files.write(directory.resolve("b.yaml"), new byte[] {(byte) 0xff, (byte) 0xfe});
        assertThat(problems(binary))
                .containsExactly("cannot read settings file " + binary + ": not UTF-8 text");
    }

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("crawl.yaml"), text);
    }

    private static List<String> problems(Path file) {
        return catchThrowableOfType(ConfigException.class, () -> YamlFile.read(file, Settings.CORE))
                .problems()
                .stream()
                .map(Problem::message)
                .toList();
    }
}
