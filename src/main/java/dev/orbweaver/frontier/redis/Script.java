package dev.orbweaver.frontier.redis;

import io.lettuce.core.ScriptOutputType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * What Redis is asked to do in one step. The texts never change: whatever differs from call to call
 * is handed over beside them, so no URL can become a command.
 */
enum Script {
    OFFER("offer", true, ScriptOutputType.VALUE),
    CLAIM("claim", true, ScriptOutputType.MULTI),
    COMMIT("commit", true, ScriptOutputType.VALUE),
    VIEW("view", true, ScriptOutputType.MULTI),
    EXCLUDE("exclude", true, ScriptOutputType.VALUE),
    FORGET("forget", true, ScriptOutputType.VALUE),
    FIND("find", true, ScriptOutputType.MULTI),
    GATE("gate", false, ScriptOutputType.VALUE),
    CLOCK("clock", false, ScriptOutputType.VALUE),
    STATE("state", false, ScriptOutputType.VALUE),
    RESERVE("reserve", false, ScriptOutputType.VALUE);

    final String text;
    final String digest;
    final ScriptOutputType output;

    Script(String name, boolean ofShard, ScriptOutputType output) {
        var own = read(name);
        this.text = ofShard ? read("common") + own : own;
        this.digest = sha1(text);
        this.output = output;
    }

    private static String read(String name) {
        try (var in = Script.class.getResourceAsStream(name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("the program lacks its script " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha1(String text) {
        try {
            var bytes = text.getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-1", e);
        }
    }
}
