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
    OFFER("offer", Part.SHARD, ScriptOutputType.VALUE),
    CLAIM("claim", Part.SHARD, ScriptOutputType.MULTI),
    COMMIT("commit", Part.SHARD, ScriptOutputType.VALUE),
    VIEW("view", Part.SHARD, ScriptOutputType.MULTI),
    EXCLUDE("exclude", Part.SHARD, ScriptOutputType.VALUE),
    FORGET("forget", Part.SHARD, ScriptOutputType.VALUE),
    FIND("find", Part.SHARD, ScriptOutputType.MULTI),
    MET("met", Part.SHARD, ScriptOutputType.VALUE),
    TAILS("tails", Part.RELIEF, ScriptOutputType.MULTI),
    PEEK("peek", Part.RELIEF, ScriptOutputType.MULTI),
    SPILL("spill", Part.RELIEF, ScriptOutputType.VALUE),
    SEGMENT("segment", Part.RELIEF, ScriptOutputType.MULTI),
    LOAD("load", Part.SHARD, ScriptOutputType.VALUE),
    SLOW("slow", Part.SHARD, ScriptOutputType.VALUE),
    REVIVE("revive", Part.SHARD, ScriptOutputType.VALUE),
    GATE("gate", Part.OTHER, ScriptOutputType.VALUE),
    CLOCK("clock", Part.OTHER, ScriptOutputType.VALUE),
    STATE("state", Part.OTHER, ScriptOutputType.VALUE),
    CHANGE("change", Part.OTHER, ScriptOutputType.VALUE),
    TELL("tell", Part.OTHER, ScriptOutputType.VALUE),
    RESERVE("reserve", Part.OTHER, ScriptOutputType.VALUE),
    NUMBER("number", Part.OTHER, ScriptOutputType.VALUE),
    QUOTA("quota", Part.OTHER, ScriptOutputType.VALUE),
    TRAPS("traps", Part.OTHER, ScriptOutputType.VALUE);

    /** What a script is about, and so what stands before it. */
    private enum Part {
        SHARD,
        /** A shard, to make room in it when there is none. */
        RELIEF,
        OTHER
    }

    final String text;
    final String digest;
    final ScriptOutputType output;

    Script(String name, Part part, ScriptOutputType output) {
        var own = read(name);
        this.text =
                switch (part) {
                    case SHARD -> read("common") + own;
                    case RELIEF -> read("relief") + read("common") + own;
                    case OTHER -> own;
                };
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
