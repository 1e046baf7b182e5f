package dev.orbweaver.model;

import java.util.List;
import java.util.Locale;

/**
 * Extracts the media type of Content-Type values with the Fetch standard's "extract a MIME type"
 * and the MIME Sniffing standard's parser; only type and subtype.
 */
final class MediaTypes {

    private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~";

    private MediaTypes() {}

    /**
     * Returns the last value that is a media type, lower-case and without parameters; else empty.
     */
    static String lastOf(List<String> fields) {
        if (fields.isEmpty()) {
            return "";
        }
        var all = String.join(",", fields);
        var last = "";
        for (var start = 0; start <= all.length(); ) {
            var end = valueEnd(all, start);
            var type = essence(all.substring(start, end));
            if (!type.isEmpty() && !type.equals("*/*")) {
                last = type;
            }
            start = end + 1;
        }
        return last;
    }

    /**
     * Returns the index of the comma after a value; a comma within quotation marks is part of the
     * value.
     */
    private static int valueEnd(String all, int start) {
        var quoted = false;
        for (var i = start; i < all.length(); i++) {
            var c = all.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (c == '\\' && quoted) {
                i++;
            } else if (c == ',' && !quoted) {
                return i;
            }
        }
        return all.length();
    }

    private static String essence(String value) {
        var semicolon = value.indexOf(';');
        var type = trimmed(semicolon < 0 ? value : value.substring(0, semicolon));
        var slash = type.indexOf('/');
        var valid = slash > 0 && isToken(type, 0, slash) && isToken(type, slash + 1, type.length());
        return valid ? type.toLowerCase(Locale.ROOT) : "";
    }

    private static String trimmed(String text) {
        var start = 0;
        var end = text.length();
        while (start < end && isHttpSpace(text.charAt(start))) {
            start++;
        }
        while (end > start && isHttpSpace(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(start, end);
    }

    private static boolean isHttpSpace(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
    }

    private static boolean isToken(String text, int start, int end) {
        for (var i = start; i < end; i++) {
            var c = text.charAt(i);
            var letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            if (!letter && !(c >= '0' && c <= '9') && TOKEN_MARKS.indexOf(c) < 0) {
                return false;
            }
        }
        return start < end;
    }
}
