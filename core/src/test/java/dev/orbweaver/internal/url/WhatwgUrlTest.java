package dev.orbweaver.internal.url;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_16LE;

import org.junit.jupiter.api.Test;

import java.nio.charset.Charset;

class WhatwgUrlTest {

    private static String href(String input) {
        return WhatwgUrl.parse(input).map(WhatwgUrl::href).orElse("failure");
    }

    private static String href(String input, String base) {
        return WhatwgUrl.parse(base)
                .flatMap(parsed -> WhatwgUrl.parse(input, parsed))
                .map(WhatwgUrl::href)
                .orElse("failure");
    }

    @Test
    void everyPartOfAUrlCanBeAskedFor() {
        var url = WhatwgUrl.parse("HTTP://me:pw@Example.ORG:8080/a/./b/../c?q=1#top").orElseThrow();
        assertThat(url.scheme()).isEqualTo("http");
        assertThat(url.username()).isEqualTo("me");
        assertThat(url.password()).isEqualTo("pw");
        assertThat(url.host()).contains("example.org");
        assertThat(url.port()).hasValue(8080);
        assertThat(url.path()).isEqualTo("/a/c");
        assertThat(url.query()).contains("q=1");
        assertThat(url.fragment()).contains("top");
        assertThat(url.origin()).isEqualTo("http://example.org:8080");
        assertThat(url.href()).isEqualTo("http://me:pw@example.org:8080/a/c?q=1#top");
    }

    @Test
    void whiteSpaceAroundAndLineBreaksWithinAreOverlooked() {
        assertThat(href(" \n https://exa\tmple.org/a\r\nb \0")).isEqualTo("https://example.org/ab");
    }

    @Test
    void backslashesAreSlashesInSpecialUrlsOnly() {
        assertThat(href("https:\\\\example.org\\a\\..\\b")).isEqualTo("https://example.org/b");
        assertThat(href("other://example.org/a\\b")).isEqualTo("other://example.org/a\\b");
    }

    @Test
    void aDefaultPortIsDroppedAndAnImpossibleOneRefused() {
        assertThat(href("https://example.org:0443/")).isEqualTo("https://example.org/");
        assertThat(href("http://example.org:/")).isEqualTo("http://example.org/");
        assertThat(href("http://example.org:65536/")).isEqualTo("failure");
        assertThat(href("http://example.org:8o/")).isEqualTo("failure");
    }

    @Test
    void anAddressIsReadInAllTheFormsBrowsersRead() {
        assertThat(href("http://0x7f.1/")).isEqualTo("http://127.0.0.1/");
        assertThat(href("http://017700000001/")).isEqualTo("http://127.0.0.1/");
        assertThat(href("http://%31%32%37.0.0.1./")).isEqualTo("http://127.0.0.1/");
        assertThat(href("http://256.0.0.1/")).isEqualTo("failure");
        assertThat(href("http://1.2.3.4.5/")).isEqualTo("failure");
        assertThat(href("http://a.09/")).isEqualTo("failure");
        assertThat(href("http://[2001:DB8:0:0:1:0:0:1]/")).isEqualTo("http://[2001:db8::1:0:0:1]/");
        assertThat(href("http://[::ffff:192.0.2.1]/")).isEqualTo("http://[::ffff:c000:201]/");
        assertThat(href("http://[1:2:3:4:5:6:7::8]/")).isEqualTo("failure");
        assertThat(href("http://[::1/")).isEqualTo("failure");
    }

    @Test
    void aDomainInAnyScriptBecomesAscii() {
        assertThat(href("https://Bücher.example/")).isEqualTo("https://xn--bcher-kva.example/");
        assertThat(href("https://stra%C3%9Fe.example/"))
                .isEqualTo("https://xn--strae-oqa.example/");
        assertThat(href("https://xn--anything--goes/")).isEqualTo("https://xn--anything--goes/");
        assertThat(href("https://a\u00ADb.example/")).isEqualTo("https://ab.example/");
        assertThat(href("https://\u00AD/")).isEqualTo("failure");
        assertThat(href("https://ex ample.org/")).isEqualTo("failure");
        assertThat(href("https://ex%00ample.org/")).isEqualTo("failure");
    }

    @Test
    void loneSurrogatesBecomeReplacementCharacters() {
        assertThat(href("https://example.org/\uD800x")).isEqualTo("https://example.org/%EF%BF%BDx");
    }

    @Test
    void referencesResolveAgainstTheirBase() {
        var base = "https://example.org/a/b?q#f";
        assertThat(href("", base)).isEqualTo("https://example.org/a/b?q");
        assertThat(href("c", base)).isEqualTo("https://example.org/a/c");
        assertThat(href("../../c", base)).isEqualTo("https://example.org/c");
        assertThat(href("?r", base)).isEqualTo("https://example.org/a/b?r");
        assertThat(href("#g", base)).isEqualTo("https://example.org/a/b?q#g");
        assertThat(href("//other.example", base)).isEqualTo("https://other.example/");
        assertThat(href("https:c", base)).isEqualTo("https://example.org/a/c");
        assertThat(href("http:c", base)).isEqualTo("http://c/");
        assertThat(href("mailto:a@b", base)).isEqualTo("mailto:a@b");
        assertThat(href("x", "mailto:a@b")).isEqualTo("failure");
        assertThat(href("#x", "mailto:a@b")).isEqualTo("mailto:a@b#x");
    }

    @Test
    void fileUrlsKeepTheirDrive() {
        assertThat(href("/x", "file:///C:/a/b")).isEqualTo("file:///C:/x");
        assertThat(href("../../..", "file:///C:/a/b")).isEqualTo("file:///C:/");
        assertThat(href("file://localhost/d|/e")).isEqualTo("file:///d:/e");
    }

    @Test
    void anEmptyFirstSegmentDoesNotComeBackAsAHost() {
        assertThat(href("web+demo:/.//not-a-host/")).isEqualTo("web+demo:/.//not-a-host/");
    }

    @Test
    void theQueryIsEscapedInTheDocumentsEncodingAndTheRestInUtf8() {
        var base = WhatwgUrl.parse("https://example.org/").orElseThrow();
        var latin = Charset.forName("windows-1252");
        assertThat(WhatwgUrl.parse("é?é€→#é", base, latin).orElseThrow().href())
                .isEqualTo("https://example.org/%C3%A9?%E9%80%26%238594%3B#%C3%A9");
        assertThat(WhatwgUrl.parse("?é", base, UTF_16LE).orElseThrow().href())
                .isEqualTo("https://example.org/?%C3%A9");
        assertThat(WhatwgUrl.parse("ws://h/?é", base, latin).orElseThrow().href())
                .isEqualTo("ws://h/?%C3%A9");
    }

    @Test
    void aStatefulEncodingReturnsToAsciiBeforeACharacterItLacks() {
        var base = WhatwgUrl.parse("https://example.org/").orElseThrow();
        assertThat(
                        WhatwgUrl.parse("?日ö", base, Charset.forName("ISO-2022-JP"))
                                .flatMap(WhatwgUrl::query))
                .contains("%1B$BF|%1B(B%26%23246%3B");
    }

    private static String query(String text, String encoding) {
        var base = WhatwgUrl.parse("https://example.org/").orElseThrow();
        return WhatwgUrl.parse("?" + text, base, Charset.forName(encoding))
                .flatMap(WhatwgUrl::query)
                .orElse("failure");
    }

    @Test
    void encodingsAreTheWebsAndNotTheJdks() {
        assertThat(query("a\u2212b", "Shift_JIS")).isEqualTo("a%81|b");
        assertThat(query("\u2212\uFF5E", "EUC-JP")).isEqualTo("%A1%DD%A1%C1");
        assertThat(query("\u2212", "ISO-2022-JP")).isEqualTo("%1B$B!]%1B(B");
        assertThat(query("x\u000Ey", "ISO-2022-JP")).isEqualTo("x%26%2365533%3By");
        assertThat(query("\u2020", "ISO-8859-1")).isEqualTo("%86");
        assertThat(query("\u2020\u2020", "Big5")).isEqualTo("%26%238224%3B%26%238224%3B");
        assertThat(query("\uE5E5ab\uE5E5", "GBK")).isEqualTo("%26%2358853%3Bab%26%2358853%3B");
        assertThat(query("\uD83D\uDE00!", "windows-1252")).isEqualTo("%26%23128512%3B!");
    }
}
