package dev.orbweaver.sink;

import dev.orbweaver.model.Body;

import org.netpreserve.jwarc.WarcDigest;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;

/**
 * The digests of an answer.
 *
 * @param payload of the body as transferred
 * @param block of head and body together, if it is wanted: it costs as much again
 */
record Digests(WarcDigest payload, Optional<WarcDigest> block) {

    private static final int COPY_BUFFER = 64 << 10;

    static Digests of(byte[] head, Body body, boolean withBlock) throws IOException {
        var payload = sha1();
        if (!withBlock) {
            copy(body, payload::update);
            return new Digests(digest(payload), Optional.empty());
        }
        var block = sha1();
        block.update(head);
        copy(
                body,
                (bytes, offset, count) -> {
                    payload.update(bytes, offset, count);
                    block.update(bytes, offset, count);
                });
        return new Digests(digest(payload), Optional.of(digest(block)));
    }

    static WarcDigest sha1(byte[] bytes) {
        return new WarcDigest("sha1", sha1().digest(bytes));
    }

    private static WarcDigest digest(MessageDigest sha1) {
        return new WarcDigest("sha1", sha1.digest());
    }

    private static MessageDigest sha1() {
        try {
            return MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-1", e);
        }
    }

    /** Takes bytes. */
    private interface Taker {
        void take(byte[] bytes, int offset, int count) throws IOException;
    }

    /** Writes all of a body. */
    static void copy(Body body, OutputStream out) throws IOException {
        copy(body, (Taker) out::write);
    }

    private static void copy(Body body, Taker out) throws IOException {
        switch (body) {
            case Body.InMemory(var bytes, var size) -> out.take(bytes, 0, size);
            case Body.InFile(var file, _) -> {
                try (var in = Files.newInputStream(file)) {
                    var buffer = new byte[COPY_BUFFER];
                    for (var n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                        out.take(buffer, 0, n);
                    }
                }
            }
        }
    }
}
