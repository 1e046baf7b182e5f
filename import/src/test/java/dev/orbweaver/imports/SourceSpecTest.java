package dev.orbweaver.imports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.config.ConfigException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.InputStream;
import java.nio.file.Path;

class SourceSpecTest {

    @Test
    void aSpecIsATypeAnArgumentAndOptions() throws ConfigException {
        assertThat(SourceSpec.parse("csv:a#b.csv#column=link"))
                .isEqualTo(new SourceSpec(SourceType.CSV, "a#b.csv", "link"));
        assertThat(SourceSpec.parse("sitemap:https://a.example/#x").argument())
                .isEqualTo("https://a.example/#x");
        assertThat(SourceSpec.parse("Common-Crawl:a.example/*#crawls=3"))
                .hasToString("common-crawl:a.example/*#crawls=3");
        assertThat(SourceSpec.parse("-")).isEqualTo(new SourceSpec(SourceType.TXT, "-", ""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "urls.csv | expected TYPE:ARGUMENT, where TYPE is one of sitemap, feed, ct,",
                "https://a.example/ | expected TYPE:ARGUMENT",
                "csv: | expected csv:FILE",
                "csv:a.csv#colum=x | expected #column=VALUE after the argument",
                "csv:a.csv#column= | expected #column=VALUE after the argument",
                "common-crawl:a.example#crawls=0 | expected a whole number from 1 after crawls=",
                "sitemap:mailto:a@b.example | expected an http or https URL, or a host",
                "ct:a.example/x | expected a domain such as example.org",
                "ct:localhost | expected a domain such as example.org",
                "wayback:nodot | expected a domain such as example.org, or a pattern",
            })
    void aWrongSpecIsRejectedWithWhatIsExpected(String spec, String expected) {
        assertThatThrownBy(() -> open(spec))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("seed-from: '" + spec)
                .hasMessageContaining(expected);
    }

    private static void open(String spec) throws Exception {
        try (var sources =
                new SeedSources(SourceRun.config(), Path.of("."), InputStream.nullInputStream())) {
            var _ = sources.open(SourceSpec.parse(spec));
        }
    }
}
