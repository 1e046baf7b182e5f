package dev.orbweaver.fleet.redis;

import io.lettuce.core.ScriptOutputType;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The scripts that Redis runs. Their texts are constant: values are passed as arguments, so no URL
 * can become a command.
 */
enum Script {
    OFFER("offer", ScriptKind.SHARD, ScriptOutputType.VALUE),
    CLAIM("claim", ScriptKind.SHARD, ScriptOutputType.MULTI),
    COMMIT("commit", ScriptKind.SHARD, ScriptOutputType.VALUE),
    VIEW("view", ScriptKind.SHARD, ScriptOutputType.MULTI),
    EXCLUDE("exclude", ScriptKind.SHARD, ScriptOutputType.VALUE),
    DELETE_JOB("delete-job", ScriptKind.SHARD, ScriptOutputType.VALUE),
    FIND("find", ScriptKind.SHARD, ScriptOutputType.MULTI),
    SEEN("seen", ScriptKind.SHARD, ScriptOutputType.VALUE),
    TAILS("tails", ScriptKind.SPILL, ScriptOutputType.MULTI),
    PEEK("peek", ScriptKind.SPILL, ScriptOutputType.MULTI),
    SPILL("spill", ScriptKind.SPILL, ScriptOutputType.VALUE),
    FILES("files", ScriptKind.SPILL, ScriptOutputType.MULTI),
    LOAD("load", ScriptKind.SHARD, ScriptOutputType.VALUE),
    CRAWL_DELAY("crawl-delay", ScriptKind.SHARD, ScriptOutputType.VALUE),
    REQUEUE("requeue", ScriptKind.SHARD, ScriptOutputType.VALUE),
    ADD_SEEDS("add-seeds", ScriptKind.SHARD, ScriptOutputType.VALUE),
    SEEDS("seeds", ScriptKind.SHARD, ScriptOutputType.VALUE),
    REVISITS("revisits", ScriptKind.SHARD, ScriptOutputType.MULTI),
    RATES("rates", ScriptKind.SHARD, ScriptOutputType.MULTI),
    DUTY("duty", ScriptKind.OTHER, ScriptOutputType.MULTI),
    GATE("gate", ScriptKind.OTHER, ScriptOutputType.VALUE),
    CLOCK("clock", ScriptKind.OTHER, ScriptOutputType.VALUE),
    STATE("state", ScriptKind.OTHER, ScriptOutputType.VALUE),
    CHANGE("change", ScriptKind.OTHER, ScriptOutputType.VALUE),
    NOTIFY("notify", ScriptKind.OTHER, ScriptOutputType.VALUE),
    RESERVE("reserve", ScriptKind.OTHER, ScriptOutputType.VALUE),
    NUMBER("number", ScriptKind.OTHER, ScriptOutputType.VALUE),
    QUOTA("quota", ScriptKind.OTHER, ScriptOutputType.VALUE),
    TRAPS("traps", ScriptKind.OTHER, ScriptOutputType.VALUE),
    AGENDA("agenda", ScriptKind.OTHER, ScriptOutputType.VALUE);

    private enum ScriptKind {
        SHARD,
        SPILL,
        OTHER
    }

    final String text;
    final String digest;
    final ScriptOutputType output;

    Script(String name, ScriptKind scriptKind, ScriptOutputType output) {
        this.text =
                switch (scriptKind) {
                    case SHARD -> ScriptText.of(name, "common", "arguments");
                    case SPILL -> ScriptText.of(name, "common", "relief", "arguments");
                    case OTHER -> ScriptText.of(name, "arguments");
                };
        this.digest = sha1(text);
        this.output = output;
    }

    private static String sha1(String text) {
        try {
            var bytes = text.getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-1 is missing from this Java runtime", e);
        }
    }
}
