package dev.orbweaver.parse;

import java.util.ArrayList;
import java.util.List;

/** Splits what HTML separates by white space (Infra standard, 4.6). */
final class Words {

    private Words() {}

    /** The words between ASCII white space; none of them empty. */
    static List<String> of(String text) {
        var words = new ArrayList<String>(4);
        var start = 0;
        for (var at = 0; at <= text.length(); at++) {
            if (at == text.length() || ByteScan.isSpace(text.charAt(at))) {
                if (at > start) {
                    words.add(text.substring(start, at));
                }
                start = at + 1;
            }
        }
        return words;
    }
}
