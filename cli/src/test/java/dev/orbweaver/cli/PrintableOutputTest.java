package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.model.PrintableText;
import dev.orbweaver.testing.Vectors;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;

/** Text from the web cannot control the terminal, in any command. */
class PrintableOutputTest {

    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
    private final PrintStream stream = new PrintStream(shown, true, UTF_8);
    private final Terminal terminal = new Terminal(stream, stream, true, () -> 100);

    private String printed(String text) {
        shown.reset();
        terminal.out().print(text);
        return shown.toString(UTF_8);
    }

    @Test
    void controlsSeparatorsAndOverridesAreSpaces() {
        assertThat(printed("a\u001b[2Jb\u009b2Jc\u0085d\u2028e\u202ef\u2066g\rh\u007fi\u0000j"))
                .isEqualTo("a [2Jb 2Jc d e f g h i j");
        assertThat(printed("grün 日本 \uD83D\uDE00\tx\n")).isEqualTo("grün 日本 \uD83D\uDE00\tx\n");
    }

    @Test
    void everyCodePointIsEitherShownOrHarmless() {
        for (var c = 0; c <= Character.MAX_CODE_POINT; c++) {
            if (c < 0x3100 || c % 97 == 0 || (c >= 0xE0000 && c < 0xE0100)) {
                var text = printed(Character.toString(c));
                assertThat(text.codePoints())
                        .as("U+%04X", c)
                        .allMatch(
                                out ->
                                        PrintableText.isPrintable(out)
                                                || out == '\n'
                                                || out == '\t');
            }
        }
    }

    @Test
    void bytesThatAreNoUtf8AreNotPassedOn() {
        for (var octet = 0x80; octet <= 0xFF; octet++) {
            shown.reset();
            terminal.out().write(new byte[] {'a', (byte) octet, 'b'}, 0, 3);
            terminal.out().flush();
            assertThat(shown.toString(ISO_8859_1)).isEqualTo("a?b");
        }
    }

    @Test
    void aScreenShowsTheLinesOfStrangersWithoutTheirCommands() {
        new Screen(terminal).show(List.of("title \u009b31m\u001b]0;owned\u0007"));
        assertThat(shown.toString(UTF_8)).isEqualTo("title  31m ]0;owned \n");
    }

    @Test
    void dataIsUnchangedInAPipeAndHarmlessOnATerminal() {
        var pipe = new Terminal(stream, stream, false, () -> 100);
        pipe.data().print("\u009b");
        assertThat(shown.toString(UTF_8)).isEqualTo("\u009b");
        shown.reset();
        terminal.data().print("\u009b");
        assertThat(shown.toString(UTF_8)).isEqualTo(" ");
    }

    @Test
    void naughtyStringsAreHarmless() {
        for (var vector : Vectors.json("security/naughty-strings.json")) {
            var text = vector.isString() ? vector.asString() : vector.toString();
            assertThat(PrintableText.line(text).codePoints()).allMatch(PrintableText::isPrintable);
            assertThat(printed(text).codePoints())
                    .allMatch(c -> PrintableText.isPrintable(c) || c == '\n' || c == '\t');
        }
    }
}
