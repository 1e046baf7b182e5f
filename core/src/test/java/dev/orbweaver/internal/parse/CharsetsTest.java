package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;

class CharsetsTest {

    @Test
    void aByteOrderMarkOutweighsTheHeaderAndTheHeaderThePage() {
        var page = "<meta charset=koi8-r>".getBytes(UTF_8);
        assertThat(encoding(page, "text/html")).isEqualTo("koi8-r");
        assertThat(encoding(page, "text/html; a=\"x;charset=y\"; Charset=\"big5\""))
                .isEqualTo("big5");
        assertThat(encoding("\uFEFF<p>".getBytes(UTF_8), "text/html;charset=big5"))
                .isEqualTo("utf-8");
    }

    @Test
    void aPageThatSaysNothingIsJudgedByItsBytes() {
        assertThat(encoding("<p>\u00FC".getBytes(UTF_8), "")).isEqualTo("utf-8");
        assertThat(encoding("<p>\u00FC".getBytes(ISO_8859_1), "")).isEqualTo("windows-1252");
    }

    @Test
    void anXmlDeclarationCountsWhereNoMetaDoes() {
        var xml = "<?xml version='1.0' encoding='ISO-8859-2'?><html>";
        assertThat(encoding(xml.getBytes(UTF_8), "")).isEqualTo("iso-8859-2");
        assertThat(encoding((xml + "<meta charset=koi8-u>").getBytes(UTF_8), ""))
                .isEqualTo("koi8-u");
    }

    @Test
    void aMetaBehindTheFirstKilobyteCountsWhileTheHeadLasts() {
        var filler = "<!--" + "x".repeat(2000) + "-->";
        var meta = "<meta http-equiv=Content-Type content='text/html; charset=big5'>";
        assertThat(encoding(("<head>" + filler + meta).getBytes(UTF_8), "")).isEqualTo("big5");
        assertThat(encoding(("<p>" + filler + meta).getBytes(UTF_8), "")).isEqualTo("utf-8");
    }

    @Test
    void aCharacterCutOffAtTheEndIsStillUtf8() {
        var bytes = "<p>\u7DB2\u7DB2".getBytes(UTF_8);
        assertThat(Utf8.isValid(bytes, 0, bytes.length - 1)).isTrue();
        bytes[bytes.length - 3] = 'x';
        assertThat(Utf8.isValid(bytes, 0, bytes.length)).isFalse();
    }

    private static String encoding(byte[] bytes, String contentType) {
        return Charsets.of(bytes, bytes.length, contentType).name();
    }
}
