package dev.orbweaver.internal.xml;

/** The references that XML defines without a document type (XML 1.0 sections 4.1 and 4.6). */
final class XmlEntities {

    private XmlEntities() {}

    /** Returns the character of the reference between ampersand and semicolon, or -1. */
    static int resolve(String reference) {
        return switch (reference) {
            case "amp" -> '&';
            case "lt" -> '<';
            case "gt" -> '>';
            case "quot" -> '"';
            case "apos" -> '\'';
            default -> numeric(reference);
        };
    }

    private static int numeric(String reference) {
        if (reference.length() < 2 || reference.charAt(0) != '#') {
            return -1;
        }
        var hex = reference.charAt(1) == 'x' || reference.charAt(1) == 'X';
        var radix = hex ? 16 : 10;
        var code = 0L;
        for (var i = hex ? 2 : 1; i < reference.length(); i++) {
            var digit = Character.digit(reference.charAt(i), radix);
            if (digit < 0) {
                return -1;
            }
            code = code * radix + digit;
        }
        var scalar =
                code > 0 && code <= Character.MAX_CODE_POINT && (code < 0xD800 || code > 0xDFFF);
        return scalar && !(hex && reference.length() == 2) ? (int) code : -1;
    }
}
