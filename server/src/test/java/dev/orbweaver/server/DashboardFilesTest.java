package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.crawl.TimeProfile.Phase;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Tests which dashboard files are served and cached, and the setting names in them. */
class DashboardFilesTest {

    private final Dashboard dashboard = new Dashboard();

    @Test
    void anExistingFileIsReadOnceAndCached() {
        var first = dashboard.file("/index.html");
        assertThat(first).isPresent();
        assertThat(dashboard.file("/index.html").orElseThrow()).isSameAs(first.orElseThrow());
        assertThat(dashboard.file("/views/pages.js")).isPresent();
        assertThat(dashboard.cachedFiles()).isEqualTo(2);
    }

    @Test
    void unknownNamesAreNotCached() {
        for (var i = 0; i < 1_000; i++) {
            assertThat(dashboard.file("/views/no" + i + ".js")).isEmpty();
        }
        assertThat(dashboard.cachedFiles()).isZero();
    }

    @Test
    void aPathThatIsTooLongOrNotPlainIsNoFile() {
        assertThat(dashboard.file("/a".repeat(100_000) + "/app.js")).isEmpty();
        assertThat(dashboard.file("/app" + ".js".repeat(100_000))).isEmpty();
        assertThat(dashboard.file("/../api/openapi.json")).isEmpty();
        assertThat(dashboard.file("//index.html")).isEmpty();
        assertThat(dashboard.file("/views/")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"startform.js", "limits.js"})
    void everySettingThatAFormNamesExists(String form) throws IOException {
        var names = matches(form, "const COMMON_SETTINGS = \\[([^]]*)]", "'([^']+)'");
        assertThat(names).isNotEmpty().allMatch(name -> Settings.CORE.find(name).isPresent());
    }

    @Test
    void everyPhaseThatAJobWaitsForHasAnExplanation() throws IOException {
        var phases = matches("words.js", "const PHASES = \\{([^}]*)}", "(\\w+): \\['");
        assertThat(phases)
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(Phase.values()).map(Phase::id).toList());
    }

    @Test
    void everyPhaseHasAColourOfItsOwn() throws IOException {
        var colours =
                Arrays.stream(Phase.values())
                        .map(phase -> "\\.phase-" + phase.id() + " \\{([^}]*)}")
                        .map(rule -> colour(rule))
                        .toList();
        assertThat(colours).hasSize(Phase.values().length).doesNotHaveDuplicates();
    }

    private static String colour(String rule) {
        try {
            return matches("style.css", rule, "background: (#[0-9a-f]{6})").getFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the first groups of all matches of {@code entry} in a part of a file. */
    private static List<String> matches(String file, String part, String entry) throws IOException {
        var text = new String(Dashboard.resource("/dashboard/" + file), StandardCharsets.UTF_8);
        var found = Pattern.compile(part).matcher(text);
        assertThat(found.find()).as(part).isTrue();
        return Pattern.compile(entry)
                .matcher(found.group(1))
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
    }
}
