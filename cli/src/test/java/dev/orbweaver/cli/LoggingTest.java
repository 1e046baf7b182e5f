package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Vectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.logging.Level;
import java.util.logging.LogRecord;

/** Text from web servers cannot forge log lines. */
class LoggingTest {

    private static String line(String message) {
        var line = new LogRecord(Level.WARNING, "{0}");
        line.setLoggerName("dev.orbweaver.internal.crawl.Crawl");
        line.setParameters(new Object[] {message});
        return new Logging.LineFormatter().format(line);
    }

    private static void isOneLine(String line) {
        assertThat(line).endsWith("\n");
        assertThat(line.lines()).hasSize(1);
        assertThat(line.chars().filter(c -> c != '\n'))
                .allMatch(c -> !Character.isISOControl(c) && c != 0x2028 && c != 0x2029);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\r\n2030-01-01T00:00:00Z SEVERE Crawl: forged",
                "a\u0085b\u2028c\u2029d",
                "\u001b]0;title\u0007\u001b[2J",
                "a\u0000b\u007f",
                "moc.\u202eelpmaxe"
            })
    void aMessageIsOneLineWithNothingInItThatATerminalObeys(String message) {
        isOneLine(line(message));
    }

    @Test
    void whatIsEscapedCanStillBeRead() {
        assertThat(line("a\nb")).endsWith("WARNING Crawl: a\\u000ab\n");
        assertThat(line("ordinary words, even \u00fc and \u65e5"))
                .endsWith("Crawl: ordinary words, even \u00fc and \u65e5\n");
    }

    @Test
    void anExceptionsWordsForgeNoLineEither() {
        var line = new LogRecord(Level.SEVERE, "while visiting");
        line.setLoggerName("Crawl");
        var thrown = new IllegalStateException("no\nSEVERE forged");
        thrown.setStackTrace(new StackTraceElement[0]);
        line.setThrown(thrown);
        assertThat(new Logging.LineFormatter().format(line).lines())
                .hasSize(2)
                .last()
                .asString()
                .isEqualTo("  java.lang.IllegalStateException: no\\u000aSEVERE forged");
    }

    @Test
    void theVectorsForLogLinesAndTheNaughtyStringsAreOneLineEach() {
        for (var vector : Vectors.json("security/injection.json")) {
            if (vector.get("context").asString().contains("log line")) {
                isOneLine(line(vector.get("input").asString()));
            }
        }
        for (var vector : Vectors.json("security/naughty-strings.json")) {
            isOneLine(line(vector.get("text").asString()));
        }
    }
}
