package dev.orbweaver.internal.robots;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;
import java.util.List;
import java.util.Set;

/** Directives of site owners: X-Robots-Tag, robots metas, AI preferences, Content Signals. */
class DirectivesTest {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "noindex | noindex",
                "NOINDEX, NoFollow | nofollow noindex",
                "none | nofollow noindex",
                "noarchive,nosnippet | noarchive nosnippet",
                "nocache | noarchive",
                "noai, noimageai | noai",
                "all | ''",
                "index, follow | ''",
                "max-snippet: 20, noindex | noindex",
                "max-image-preview:large | ''",
                "orbweaver: noindex | noindex",
                "OrbWeaver: noindex, nofollow | nofollow noindex",
                "otherbot: noindex | ''",
                "otherbot: noindex, nofollow | ''",
                "noarchive, otherbot: noindex | noarchive",
                "otherbot: noindex, orbweaver: nofollow | nofollow",
                "orbweaver: nofollow, otherbot: noindex | nofollow",
                "orbweaver2: noindex | ''",
                "*: noindex | noindex",
                "robots: noindex | noindex",
                "otherbot: unavailable_after: 1 Jan 2020 00:00:00 GMT | ''",
                "orbweaver: unavailable_after: 1 Jan 2020 00:00:00 GMT | unavailable",
                "'' | ''",
                ",,: ,:, | ''"
            })
    void anXRobotsTagSpeaksToThoseItNames(String field, String expected) {
        assertThat(Directive.text(RobotsTag.fromHeader(List.of(field), "orbweaver", NOW)))
                .isEqualTo(expected);
    }

    @Test
    void severalFieldsAddUpAndEachNamesAnew() {
        var fields = List.of("otherbot: noindex", "nofollow", "orbweaver: noarchive");
        assertThat(RobotsTag.fromHeader(fields, "orbweaver", NOW))
                .containsExactlyInAnyOrder(Directive.NOFOLLOW, Directive.NOARCHIVE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "25 Jun 2010 15:00:00 PST",
                "Fri, 25 Jun 2010 15:00:00 GMT",
                "Friday, 25-Jun-10 15:00:00 UTC",
                "25-Jun-2010 15:00:00 PST",
                "2010-06-25",
                "2010-06-25T15:00:00Z",
                "2010-06-25T15:00:00+02:00"
            })
    void aDateThatHasPassedIsSeenInAllItsForms(String date) {
        assertThat(RobotsTag.fromHeader(List.of("unavailable_after: " + date), "orbweaver", NOW))
                .containsExactly(Directive.UNAVAILABLE);
        assertThat(RobotsTag.fromMeta("noarchive, unavailable_after: " + date, NOW))
                .containsExactlyInAnyOrder(Directive.NOARCHIVE, Directive.UNAVAILABLE);
        var before = Instant.parse("2010-06-25T00:00:00Z");
        assertThat(RobotsTag.fromHeader(List.of("unavailable_after: " + date), "orbweaver", before))
                .as("not yet")
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"soon", "", "32 Jun 2010", "99999999999999999999"})
    void aDateThatIsNoneAsksForNothing(String date) {
        assertThat(RobotsTag.fromHeader(List.of("unavailable_after: " + date), "orbweaver", NOW))
                .isEmpty();
    }

    @Test
    void metasAreReadWithCommasAndWithSpaces() {
        assertThat(RobotsTag.fromMeta("noindex nofollow", NOW))
                .containsExactlyInAnyOrder(Directive.NOINDEX, Directive.NOFOLLOW);
        assertThat(RobotsTag.fromMeta("NOINDEX,NOARCHIVE", NOW))
                .containsExactlyInAnyOrder(Directive.NOINDEX, Directive.NOARCHIVE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "train-ai=n | ai-train=n",
                "train-ai=y, search=n | search=n",
                "search=yes, ai-train=no | ai-train=n",
                "search=no, ai-input=no, ai-train=no | search=n ai-input=n ai-train=n",
                "ai-use=n | ai-input=n",
                "TRAIN-AI=N | ai-train=n",
                "train-ai=n;p=1, search=y | ai-train=n",
                "train-ai=n, train-ai=y | ''",
                "train-ai=maybe | ''",
                "train-ai=n, train-ai=maybe | ''",
                "train-ai | ''",
                "weather=n | ''",
                "bots=n | search=n ai-input=n ai-train=n",
                "bots=n, search=y | ai-input=n ai-train=n",
                "ai=n, train-ai=y | ai-input=n",
                "'' | ''",
                "=n,=,n | ''"
            })
    void preferencesOfBothVocabulariesAreRead(String text, String denied) {
        assertThat(Directive.text(UsagePreference.denied(text))).isEqualTo(denied);
    }

    @Test
    void ofSeveralStatementsTheStrictestCounts() {
        assertThat(UsagePreference.denied(List.of("train-ai=y", "train-ai=n", "search=y")))
                .containsExactly(Directive.NO_AI_TRAIN);
    }

    @Test
    void theLongestPathDecidesInRobotsTxtAndTheGroupIsOurs() {
        var rules =
                rules(
                        """
                        User-Agent: *
                        Allow: /
                        Disallow: /never/
                        Content-Usage: / train-ai=n
                        Content-Usage: /ai-ok/ train-ai=y
                        Content-Usage: /*.pdf$ search=n # printed

                        User-Agent: ExampleBot
                        Allow: /
                        Content-Usage: / search=n
                        """);
        assertThat(rules.usage("/test"))
                .isEqualTo(new RobotsRules.Usage(Set.of(Directive.NO_AI_TRAIN), 4));
        assertThat(rules.usage("/ai-ok/test").denied()).isEmpty();
        assertThat(rules.usage("/x.pdf").denied()).containsExactly(Directive.NO_SEARCH);
        assertThat(rules.evaluate("/never/x").line()).as("line numbers are correct").isEqualTo(3);
    }

    @Test
    void aSignalBelongsToItsGroupAndDoesNotEndTheListOfNames() {
        var rules =
                rules(
                        """
                        User-agent: other
                        Content-Signal: ai-train=no
                        User-agent: orbweaver
                        Content-signal: search=yes,ai-input=no
                        Disallow: /x
                        """);
        assertThat(rules.usage("/").denied()).containsExactly(Directive.NO_AI_INPUT);
        assertThat(rules.evaluate("/x").allowed()).isFalse();
    }

    @Test
    void equalPathsAndBothKindsOfLinesAddUp() {
        var rules =
                rules(
                        """
                        User-agent: *
                        Content-Usage: /a train-ai=y
                        Content-Usage: /a train-ai=n
                        Content-Signal: search=no
                        Allow: /
                        """);
        assertThat(rules.usage("/a/b").denied())
                .containsExactlyInAnyOrder(Directive.NO_AI_TRAIN, Directive.NO_SEARCH);
        assertThat(rules.usage("/b")).isEqualTo(usage(4, Directive.NO_SEARCH));
    }

    @Test
    void beforeAnyNameItSpeaksToEveryoneAndOurOwnGroupReplacesThatOfAll() {
        assertThat(rules("Content-Usage: train-ai=n\nUser-agent: *\nAllow: /").usage("/").denied())
                .containsExactly(Directive.NO_AI_TRAIN);
        var own = "User-agent: *\nContent-Signal: search=no\n\nUser-agent: orbweaver\nAllow: /";
        assertThat(rules(own).usage("/").denied()).isEmpty();
        var others = "User-agent: orbweaver\nAllow: /\n\nUser-agent: x\nContent-Signal: search=no";
        assertThat(rules(others).usage("/").denied()).isEmpty();
        assertThat(RobotsRules.ALLOW_ALL.usage("/").denied()).isEmpty();
    }

    @Test
    void aFileFullOfStatementsCostsNoMoreThanItMay() {
        var text = "User-agent: *\n" + "Content-Usage: /*a*a*a*b train-ai=n\n".repeat(10_000);
        var rules = rules(text);
        assertThat(rules.memoryBytes()).isLessThan(200_000);
        assertThat(rules.usage("/" + "a".repeat(2000)).denied()).isEmpty();
    }

    private static RobotsRules.Usage usage(int line, Directive denied) {
        return new RobotsRules.Usage(Set.of(denied), line);
    }

    private static RobotsRules rules(String text) {
        var bytes = text.getBytes(UTF_8);
        return RobotsRules.parse(bytes, bytes.length, "orbweaver");
    }
}
