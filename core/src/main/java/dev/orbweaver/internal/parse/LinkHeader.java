package dev.orbweaver.internal.parse;

import static dev.orbweaver.internal.parse.ByteScan.isSpace;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One link of a {@code Link} header field (RFC 8288 section 3).
 *
 * @param target the reference between the angle brackets
 * @param rel its relation types; the first {@code rel} if there are several (section 3.3)
 */
record LinkHeader(String target, String rel) {

    /**
     * Parses the links of a field value (appendix B.2), without those with an {@code anchor}, which
     * are about another document (section 3.2).
     */
    static List<LinkHeader> parse(String field) {
        var links = new ArrayList<LinkHeader>();
        var reader = new Reader(field);
        while (reader.toNextTarget()) {
            reader.link().ifPresent(links::add);
        }
        return links;
    }

    private static final class Reader {

        private final String field;
        private int at;

        Reader(String field) {
            this.field = field;
        }

        boolean toNextTarget() {
            while (at < field.length() && (isSpace(field.charAt(at)) || field.charAt(at) == ',')) {
                at++;
            }
            return at < field.length() && field.charAt(at) == '<';
        }

        Optional<LinkHeader> link() {
            var close = field.indexOf('>', at);
            if (close < 0) {
                at = field.length();
                return Optional.empty();
            }
            var target = field.substring(at + 1, close);
            at = close + 1;
            var rel = "";
            var anchored = false;
            while (toNextParameter()) {
                var name = name();
                var value = value();
                if (name.equals("rel") && rel.isEmpty()) {
                    rel = value;
                }
                anchored |= name.equals("anchor");
            }
            return anchored ? Optional.empty() : Optional.of(new LinkHeader(target, rel));
        }

        private boolean toNextParameter() {
            while (at < field.length() && field.charAt(at) != ';' && field.charAt(at) != ',') {
                at++;
            }
            if (at == field.length() || field.charAt(at) == ',') {
                return false;
            }
            at++;
            return true;
        }

        private String name() {
            var start = at;
            while (at < field.length() && "=;,".indexOf(field.charAt(at)) < 0) {
                at++;
            }
            return field.substring(start, at).strip().toLowerCase(Locale.ROOT);
        }

        private String value() {
            if (at == field.length() || field.charAt(at) != '=') {
                return "";
            }
            at++;
            while (at < field.length() && isSpace(field.charAt(at))) {
                at++;
            }
            return at < field.length() && field.charAt(at) == '"' ? quoted() : token();
        }

        private String quoted() {
            var value = new StringBuilder();
            for (at++; at < field.length() && field.charAt(at) != '"'; at++) {
                if (field.charAt(at) == '\\' && at + 1 < field.length()) {
                    at++;
                }
                value.append(field.charAt(at));
            }
            at = Math.min(at + 1, field.length());
            return value.toString();
        }

        private String token() {
            var start = at;
            while (at < field.length() && ";,".indexOf(field.charAt(at)) < 0) {
                at++;
            }
            return field.substring(start, at).strip();
        }
    }
}
