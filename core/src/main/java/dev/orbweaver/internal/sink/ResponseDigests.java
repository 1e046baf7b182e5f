package dev.orbweaver.internal.sink;

import dev.orbweaver.model.Body;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.Optional;

/**
 * @param sha1 of the body as transferred
 * @param payload the same in WARC format
 * @param block of head and body together, if enabled: it doubles the cost
 */
@SuppressWarnings("ArrayRecordComponent") // Digests are never compared.
record ResponseDigests(byte[] sha1, String payload, Optional<String> block) {

    private static final int COPY_BUFFER = 64 << 10;

    static ResponseDigests of(Sha1 by, byte[] head, Body body, boolean withBlock)
            throws IOException {
        by.payload.reset(); // A failed read of an earlier body may have left bytes.
        if (!withBlock) {
            copy(body, by.payload::update);
            return of(by.payload.digest(), Optional.empty());
        }
        by.block.reset();
        by.block.update(head);
        copy(
                body,
                (bytes, offset, count) -> {
                    by.payload.update(bytes, offset, count);
                    by.block.update(bytes, offset, count);
                });
        return of(by.payload.digest(), Optional.of(Sha1.format(by.block.digest())));
    }

    private static ResponseDigests of(byte[] sha1, Optional<String> block) {
        return new ResponseDigests(sha1, Sha1.format(sha1), block);
    }

    private interface ByteConsumer {
        void accept(byte[] bytes, int offset, int count) throws IOException;
    }

    static void copy(Body body, OutputStream out) throws IOException {
        copy(body, (ByteConsumer) out::write);
    }

    private static void copy(Body body, ByteConsumer out) throws IOException {
        switch (body) {
            case Body.InMemory(var bytes, var size) -> out.accept(bytes, 0, size);
            case Body.InFile(var file, _) -> {
                try (var in = Files.newInputStream(file)) {
                    var buffer = new byte[COPY_BUFFER];
                    for (var n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                        out.accept(buffer, 0, n);
                    }
                }
            }
        }
    }
}
