package dev.orbweaver.internal.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Hashes strings and byte arrays. */
public final class Hashes {

    private Hashes() {}

    public static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is missing from this Java runtime", e);
        }
    }

    public static byte[] sha256(byte[] bytes) {
        return sha256().digest(bytes);
    }

    public static String hex(String text, int digits) {
        return HexFormat.of().formatHex(sha256(text.getBytes(UTF_8))).substring(0, digits);
    }

    public static long number(String text) {
        return number(sha256(text.getBytes(UTF_8)), 0);
    }

    public static long number(byte[] hash, int at) {
        return ByteBuffer.wrap(hash).getLong(at);
    }
}
