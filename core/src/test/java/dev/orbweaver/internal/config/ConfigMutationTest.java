package dev.orbweaver.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.testing.Fuzz;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Any settings file gives settings, or messages that say what is wrong and where. */
@Slow
class ConfigMutationTest {

    private static final List<String> SAMPLES =
            List.of(
                    """
                    seeds:
                      - https://example.org/
                      - "http://127.0.0.1:8080/a?b=c"
                    scope: domain
                    delay: 500ms
                    max-pages: 1000
                    include: ['^https://example\\.org/', "b+"]
                    skip-extensions: jpg,png
                    robots: obey
                    resolve: [example.org=192.0.2.1]
                    dns-server: 192.0.2.2:53
                    """,
                    """
                    # A comment
                    seeds: [https://example.org/]
                    contact: "mailto:a@example.org"
                    warc-compression: zstd
                    max-warc-size: 1GB
                    timeout: 1m
                    sitemaps: no
                    max-depth: none
                    """);

    @TempDir Path directory;

    @Test
    void aSettingsFileIsReadOrEverythingWrongWithItIsNamed() {
        var words = new ArrayList<>(Settings.CORE.all().stream().map(Setting::key).toList());
        words.addAll(
                List.of(
                        ": ",
                        ":",
                        "- ",
                        "\n",
                        "\n  ",
                        "\t",
                        "&a ",
                        "*a",
                        "!!int ",
                        "!x ",
                        "|\n",
                        ">-\n",
                        "{",
                        "}",
                        "[",
                        "]",
                        ",",
                        "\"",
                        "'",
                        "#",
                        "---\n",
                        "...\n",
                        "? ",
                        "<<: *a\n",
                        "none",
                        "auto",
                        "true",
                        "~",
                        "null",
                        "-1",
                        "1e9",
                        "99999999999999999999h",
                        "(",
                        "(?i",
                        "a{1000}",
                        "\\pN",
                        "0x10",
                        "1_000",
                        ".inf",
                        "2026-01-01",
                        "\uFEFF",
                        "é",
                        "http://",
                        "[::1]",
                        "%",
                        "\u0000",
                        "\u0085",
                        "\u2028",
                        "@",
                        "`"));
        Fuzz.of("config", SAMPLES, words.toArray(String[]::new)).run(this::check);
    }

    /**
     * Found by mutation: nesting beyond the limit of the library is reported without a location.
     */
    @Test
    void listsWithinListsWithoutEndAreNoSettings() throws Exception {
        var file = Files.writeString(directory.resolve("deep.yaml"), "seeds: " + "[".repeat(2_000));
        assertThatThrownBy(() -> YamlFile.read(file, Settings.CORE))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("deep.yaml: invalid YAML");
    }

    /** Found by mutation: a pattern of 60 KB took more than half a second to compile. */
    @Test
    void aPatternHasALimitedLength() throws Exception {
        var settingValues = new SettingValues().put(Settings.SEEDS, "https://example.org/");
        var longest = CrawlConfig.read(settingValues.put("include", "a".repeat(10_000)));
        assertThat(longest.scope().include()).hasSize(1);
        assertThatThrownBy(() -> CrawlConfig.read(settingValues.put("include", "a".repeat(10_001))))
                .isInstanceOf(ConfigException.class)
                .hasMessage("include: a pattern may have at most 10000 characters");
    }

    private void check(byte[] input, Random random) throws Exception {
        var file = Files.write(directory.resolve("crawl.yaml"), input);
        try {
            var config = CrawlConfig.read(YamlFile.read(file, Settings.CORE));
            assertThat(config.seeds()).isNotEmpty();
            var again = directory.resolve("again.yaml");
            Files.write(again, YamlFile.write(config.settingValues()).getBytes(UTF_8));
            var same = CrawlConfig.read(YamlFile.read(again, Settings.CORE));
            assertThat(same.seeds()).isEqualTo(config.seeds());
            assertThat(same.politeness()).isEqualTo(config.politeness());
            assertThat(same.crawl()).isEqualTo(config.crawl());
            assertThat(same.networkSettings()).isEqualTo(config.networkSettings());
        } catch (ConfigException wrong) {
            assertThat(wrong.problems()).isNotEmpty();
            for (var problem : wrong.problems()) {
                assertThat(problem.message())
                        .matches("(?s).*(crawl.yaml|unknown setting|URL|" + keys() + ").*");
            }
        }
    }

    private static String keys() {
        return String.join("|", Settings.CORE.all().stream().map(Setting::key).toList());
    }
}
