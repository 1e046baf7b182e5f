package dev.orbweaver.internal.fetch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.internal.disk.SpillBuffer;
import dev.orbweaver.internal.fetch.ResponseReader.BadResponseException;
import dev.orbweaver.model.Body;
import dev.orbweaver.spi.Fetcher;

import io.netty.buffer.Unpooled;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Results of a {@link ResponseReader} as comparable values. */
final class ResponseReads {

    static final int HEAD_MAX = 4096;

    private ResponseReads() {}

    /** The result; {@code outcome} is the cause of a failure. */
    record ReadResult(
            String outcome, int status, String body, boolean truncated, boolean reusable) {}

    static ReadResult readWhole(String answer) throws IOException {
        return read(answer, Long.MAX_VALUE, answer.length());
    }

    static ReadResult readLimited(String answer, long bodyMax) throws IOException {
        return read(answer, bodyMax, answer.length());
    }

    /**
     * Reads the response in pieces that end at the given offsets, then closes if it is not done.
     */
    static ReadResult read(String answer, long bodyMax, int... ends) throws IOException {
        var directory = Path.of(System.getProperty("java.io.tmpdir"));
        try (var buffer = new SpillBuffer(directory)) {
            var reader =
                    new ResponseReader(HEAD_MAX, bodyMax, buffer, Fetcher.HeadFilter.ACCEPT_ALL);
            var bytes = answer.getBytes(ISO_8859_1);
            try {
                feed(reader, bytes, ends);
            } catch (BadResponseException e) {
                return new ReadResult(e.failure().id(), 0, "", false, reader.isReusable());
            }
            return new ReadResult(
                    "ok",
                    reader.head().status(),
                    text(reader.body()),
                    reader.isTruncated(),
                    reader.isReusable());
        }
    }

    private static void feed(ResponseReader reader, byte[] bytes, int... ends) throws IOException {
        var start = 0;
        for (var end : ends) {
            reader.read(Unpooled.wrappedBuffer(Arrays.copyOfRange(bytes, start, end)));
            start = end;
        }
        if (!reader.isDone()) {
            reader.onClosed();
        }
    }

    static String text(Body body) throws IOException {
        return switch (body) {
            case Body.InMemory(var bytes, var size) -> new String(bytes, 0, size, ISO_8859_1);
            case Body.InFile(var file, _) -> {
                var text = Files.readString(file, ISO_8859_1);
                Files.delete(file);
                yield text;
            }
        };
    }

    /** Returns every offset between two bytes, and the end. */
    static int[] everySplit(String answer) {
        var ends = new int[answer.length()];
        Arrays.setAll(ends, i -> i + 1);
        return ends;
    }
}
