package dev.orbweaver.fleet.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Assembles the text of a script: constants, shared functions, its own file.
 *
 * <p>Redis runs a script from its first line for every call, and so declares its functions each
 * time. Functions that a script does not use are omitted.
 */
final class ScriptText {

    private static final Pattern FUNCTION =
            Pattern.compile("^local function (\\w+)", Pattern.MULTILINE);

    private ScriptText() {}

    /**
     * @param libraries the files to prepend, the last one first
     */
    static String of(String name, String... libraries) {
        var text = read(name);
        for (var library : libraries) {
            text = withLibrary(read(library), text);
        }
        return ScriptConstants.resolve(text);
    }

    /** Prepends the parts of a library, which are separated by blank lines, that a script uses. */
    private static String withLibrary(String library, String script) {
        var text = script;
        for (var part : List.of(library.split("\n\n", -1)).reversed()) {
            var function = FUNCTION.matcher(part);
            if (!function.find() || isUsed(function.group(1), text)) {
                text = part + "\n" + text;
            }
        }
        return text;
    }

    private static boolean isUsed(String function, String text) {
        return Pattern.compile("\\b" + function + "\\b").matcher(text).find();
    }

    private static String read(String name) {
        try (var in = ScriptText.class.getResourceAsStream(name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("missing script " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
