package dev.orbweaver.server.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;

/** Tests the dashboard's Markdown renderer in a browser. */
@ExtendWith(BrowserExtension.class)
@Slow
class MarkdownTest {

    @TempDir private static Path directory;

    private static ServerFixture serverFixture;
    private static BrowserWindow browserWindow;

    @BeforeAll
    static void open(Chromium chromium) throws Exception {
        serverFixture = ServerFixture.withoutToken(directory);
        browserWindow = chromium.window(Viewport.DESK);
        browserWindow.open(serverFixture.view("/fleet"));
    }

    @AfterAll
    static void close() throws Exception {
        for (var each : new AutoCloseable[] {browserWindow, serverFixture}) {
            if (each != null) {
                each.close();
            }
        }
    }

    private static String rendered(String markdown) {
        return (String)
                browserWindow
                        .page()
                        .evaluate(
                                """
                                async (text) => {
                                    const { render } = await import('/markdown.js');
                                    const place = document.createElement('div');
                                    place.append(render(text));
                                    return place.innerHTML;
                                }
                                """,
                                markdown);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "*a **b** c*~<em>a <strong>b</strong> c</em>",
                "**a *b* c**~<strong>a <em>b</em> c</strong>",
                "***both***~<strong><em>both</em></strong>",
                "2 * 3 * 4 snake_case_word~2 * 3 * 4 snake_case_word",
                "``a ` tick``~<code>a ` tick</code>",
                "\\*not\\* \\<b>~*not* &lt;b&gt;",
                "&lt;i&gt; &#x41; &bogus;~&lt;i&gt; A &amp;bogus;",
                "<b>bold</b>~&lt;b&gt;bold&lt;/b&gt;",
                "[x](javascript:alert(1))~<span>x</span>",
                "![web](https://a.test/w.png)~<span class=\"picture\">web <span"
                        + " class=\"picture-url\">https://a.test/w.png</span></span>"
            })
    void aLineIsRead(String markdown, String html) {
        assertThat(rendered(markdown)).isEqualTo("<p dir=\"auto\">" + html + "</p>");
    }

    @Test
    void linksDoNotSendAReferrer() {
        assertThat(rendered("[x](https://a.test/b\\(c \"t\")"))
                .contains(
                        "href=\"https://a.test/b(c\"",
                        "target=\"_blank\"",
                        "rel=\"noopener noreferrer\"");
    }

    // Trailing spaces are significant, and a text block would strip them.
    @SuppressWarnings("StringConcatToTextBlock")
    @Test
    void blocksAreRead() {
        assertThat(
                        rendered(
                                "---\n"
                                        + "title: no\n"
                                        + "---\n"
                                        + "# Top #\n\n"
                                        + "- a\n"
                                        + "- b\n\n"
                                        + "  more\n\n"
                                        + "3. c\n"
                                        + "4. d\n\n"
                                        + "> said\n"
                                        + "> twice\n\n"
                                        + "```sh\n"
                                        + "$ <x>\n"
                                        + "```\n"
                                        + "---"))
                .contains(
                        "<h2>Top</h2>",
                        "<ul><li>a</li><li>b<p dir=\"auto\">more</p></li></ul>",
                        "<ol start=\"3\"><li>c</li><li>d</li></ol>",
                        "<blockquote><p dir=\"auto\">said twice</p></blockquote>",
                        "<code>$ &lt;x&gt;</code>",
                        "<hr>")
                .doesNotContain("title: no");
        assertThat(rendered("| a | b |\n| --- | --- |\n| `x \\| y` | z |"))
                .contains("<th scope=\"col\">a</th>", "<td><code>x | y</code></td>");
    }

    @Test
    void endlessMarkdownIsTruncated() {
        assertThat(rendered("# a\n".repeat(50_000))).contains("The rest is not shown.");
        assertThat(rendered("> ".repeat(5_000) + "deep")).contains("deep");
    }
}
