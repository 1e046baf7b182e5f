package dev.orbweaver.internal.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.Hop;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;

class SeedLineTest {

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    private static SeedLine parse(String line) {
        return SeedLine.parse(line.replace("<t>", "\t"), URLS);
    }

    private static Candidate candidate(String line) {
        assertThat(parse(line)).isInstanceOf(SeedLine.Wanted.class);
        return ((SeedLine.Wanted) parse(line)).candidate();
    }

    @Test
    void aLineIsAUrlWithOptionalFields() {
        var plain = candidate("  https://example.com/a ");
        assertThat(plain.url().text()).isEqualTo("https://example.com/a");
        assertThat(plain.hop()).isEqualTo(Hop.SEED);
        assertThat(plain.bonus()).isZero();
        var full =
                candidate(
                        "example.com<t>priority=-15<t>depth=3<t>not-before=2030-01-01T00:00:00Z"
                                + "<t>lastmod=2020-01-01T00:00:00Z");
        assertThat(full.hop()).isEqualTo(Hop.GUESSED_SEED);
        assertThat(full.bonus()).isEqualTo(-15);
        assertThat(full.depth()).isEqualTo(3);
        assertThat(full.notBefore())
                .isEqualTo(Instant.parse("2030-01-01T00:00:00Z").toEpochMilli());
    }

    @ParameterizedTest
    @CsvSource({"+20, 20", "-100, -100", "100, 0", "60, -40", "0, -100"})
    void aPriorityIsADifferenceOrWithoutASignTheWhole(String value, int bonus) {
        assertThat(candidate("https://example.com/<t>priority=" + value).bonus()).isEqualTo(bonus);
    }

    @Test
    void aVisitedUrlIsNotFetched() {
        assertThat(parse("https://example.com/<t>visited=2026-01-01T00:00:00Z"))
                .isInstanceOf(SeedLine.Visited.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "   ", "# a comment", "#https://example.com/"})
    void commentsAreSkipped(String line) {
        assertThat(parse(line)).isEqualTo(new SeedLine.Comment());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "ftp://example.com/ | 'ftp://example.com/' is not an http or https URL",
                "no url at all | 'no url at all' is not an http or https URL",
                "https://u:p@example.com/ | a URL must not contain a user name or password",
                "https://example.com/\uFFFD | not UTF-8 text",
                "https://example.com/<t>prio=1 | unknown field 'prio=1'; expected priority,",
                "https://example.com/<t>priority=101 | 'priority=101' is not valid; expected such",
                "https://example.com/<t>not-before=soon | 'not-before=soon' is not valid",
                "https://example.com/<t>depth=-1 | 'depth=-1' is not valid",
                "<t>visited | the line begins with a tab",
            })
    void aMalformedLineSaysWhatIsWrong(String line, String reason) {
        assertThat(parse(line)).isInstanceOf(SeedLine.Malformed.class);
        assertThat(((SeedLine.Malformed) parse(line)).reason()).startsWith(reason);
    }
}
