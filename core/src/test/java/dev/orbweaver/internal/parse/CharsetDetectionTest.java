package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** Pages that do not declare their encoding. */
class CharsetDetectionTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "windows-1251|Паук плетёт свою сеть каждую ночь и чинит её утром, когда выпадает"
                        + " роса",
                "koi8-r|Паук плетёт свою сеть каждую ночь и чинит её утром, когда выпадает роса",
                "shift_jis|クモは毎晩、巣を張り直します。朝露が降りると、糸が光って見えます。庭の隅で待っています。",
                "euc-jp|クモは毎晩、巣を張り直します。朝露が降りると、糸が光って見えます。庭の隅で待っています。",
                "euc-kr|거미는 매일 밤 거미줄을 다시 칩니다. 아침 이슬이 내리면 실이 빛나 보입니다.",
                "big5|蜘蛛每天晚上重新結網。清晨的露水落下時，絲線閃閃發光。牠在花園的角落裡等待著。",
                "iso-8859-7|Η αράχνη υφαίνει τον ιστό της κάθε νύχτα και τον διορθώνει το πρωί με"
                        + " τη δροσιά",
                "windows-1252|Die Spinne webt ihr Netz jede Nacht, größer und schöner; früh hängt"
                        + " Tau über den Fäden"
            })
    void anUndeclaredPageIsReadInWhatItsLettersFit(String charset, String text) {
        var html = ("<!DOCTYPE html><body class=spider>" + ("<p>" + text + "</p>\n").repeat(4));
        var bytes = html.getBytes(Charset.forName(charset));
        var guessed = Charsets.of(bytes, bytes.length, "text/html");
        assertThat(new String(bytes, guessed.charset())).isEqualTo(html);
    }

    @ParameterizedTest
    @ValueSource(strings = {"é", "café", "100 £"})
    void aByteOrTwoAreReadAsWesternText(String text) {
        var bytes = ("<p>" + text + "</p>").getBytes(StandardCharsets.ISO_8859_1);
        assertThat(Charsets.of(bytes, bytes.length, "").name()).isEqualTo("windows-1252");
    }
}
