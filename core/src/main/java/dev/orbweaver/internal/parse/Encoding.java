package dev.orbweaver.internal.parse;

import java.nio.charset.Charset;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * An encoding of the web (WHATWG Encoding standard, section 4).
 *
 * @param name its name in the standard, in lower case
 * @param charset the charset that decodes it as the web does: the web's {@code shift_jis} is the
 *     JDK's {@code windows-31j}, its {@code iso-8859-1} is {@code windows-1252}, and so on
 */
record Encoding(String name, Charset charset) {

    private static final String RESOURCE = "encodings.txt";
    private static final Map<String, Encoding> BY_LABEL = load();

    static final Encoding UTF_8 = builtIn("utf-8");
    static final Encoding UTF_16LE = builtIn("utf-16le");
    static final Encoding UTF_16BE = builtIn("utf-16be");
    static final Encoding WINDOWS_1252 = builtIn("windows-1252");

    /** Replaces encodings that are unsafe to decode; has no text (section 4.3). */
    static final Encoding REPLACEMENT = builtIn("replacement");

    /** Returns the encoding with a label (section 4.2: trimmed, ignoring case). */
    static Optional<Encoding> forLabel(String label) {
        var from = 0;
        var to = label.length();
        while (from < to && ByteScan.isSpace(label.charAt(from))) {
            from++;
        }
        while (to > from && ByteScan.isSpace(label.charAt(to - 1))) {
            to--;
        }
        return Optional.ofNullable(
                BY_LABEL.get(label.substring(from, to).toLowerCase(Locale.ROOT)));
    }

    /** Returns whether ASCII bytes always mean ASCII, so that a page can be parsed byte by byte. */
    boolean isAsciiCompatible() {
        return !isUtf16() && !name.equals("iso-2022-jp");
    }

    boolean isUtf16() {
        return name.startsWith("utf-16");
    }

    private static Encoding builtIn(String name) {
        return forLabel(name).orElseThrow();
    }

    private static Map<String, Encoding> load() {
        var labels = new HashMap<String, Encoding>();
        for (var words : ResourceTable.read(RESOURCE)) {
            var encoding = new Encoding(words[0], charset(words[1]));
            for (var i = 2; i < words.length; i++) {
                labels.put(words[i], encoding);
            }
        }
        return Map.copyOf(labels);
    }

    private static Charset charset(String name) {
        return SingleByteCharset.byName(name).orElseGet(() -> Charset.forName(name));
    }
}
