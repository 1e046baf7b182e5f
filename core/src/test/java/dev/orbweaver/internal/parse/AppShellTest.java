package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.spi.Document;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class AppShellTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<head><script src=a.js></script></head><body><div id=root></div></body>",
                "<body><app-root></app-root><script src=main.js type=module></script></body>",
                "<body><noscript>You need to enable JavaScript.</noscript><p>Loading ...</p>"
                        + "<script>start()</script></body>",
                "<body><div id=app><div class=spinner></div></div><script src=a.js></script><a"
                        + " href='#main'>skip</a></body>"
            })
    void aShellHasScriptsAndNoContent(String html) {
        assertThat(matches(html)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<body><div id=root></div></body>",
                "<body><p>It works.</p><script src=stats.js></script></body>",
                "<body><div></div><a href=/next>next</a><script src=stats.js></script></body>",
                "<body><div><img src=a.png></div><script src=stats.js></script></body>",
                "<body><h1>Search</h1><form><input></form><script src=a.js></script></body>"
            })
    void aPageWithContentOrWithoutScriptsIsNoShell(String html) {
        assertThat(matches(html)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"<noscript>JavaScript</noscript>", "<div></div>"})
    void aPageWithMuchTextIsNoShell(String part) {
        assertThat(matches(part + "<script>1</script><p>" + "words and ".repeat(30))).isFalse();
    }

    private static boolean matches(String html) {
        var bytes = html.getBytes(UTF_8);
        var url = new CrawlUrls(Normalisation.DEFAULT).parse("http://a.test/").orElseThrow();
        return AppShell.matches(new Document(url, "text/html", List.of(), bytes, bytes.length));
    }
}
