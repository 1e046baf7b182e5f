package dev.orbweaver.fetch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.disk.SpillBuffer;
import dev.orbweaver.fetch.ResponseReader.BadResponse;
import dev.orbweaver.model.Body;

import io.netty.buffer.Unpooled;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** What a {@link ResponseReader} makes of an answer, as a value that can be compared. */
final class Answers {

    static final int HEAD_MAX = 4096;

    private Answers() {}

    /** What came out; {@code outcome} names the cause of a failure. */
    record Reading(String outcome, int status, String body, boolean cut, boolean reusable) {}

    static Reading whole(String answer) throws IOException {
        return read(answer, Long.MAX_VALUE, answer.length());
    }

    static Reading limited(String answer, long bodyMax) throws IOException {
        return read(answer, bodyMax, answer.length());
    }

    /** Feeds the answer in pieces that end at the given places, then closes if it is not done. */
    static Reading read(String answer, long bodyMax, int... ends) throws IOException {
        var folder = Path.of(System.getProperty("java.io.tmpdir"));
        try (var buffer = new SpillBuffer(folder)) {
            var reader = new ResponseReader(HEAD_MAX, bodyMax, buffer);
            var bytes = answer.getBytes(ISO_8859_1);
            try {
                feed(reader, bytes, ends);
            } catch (BadResponse e) {
                return new Reading(e.failure().word(), 0, "", false, reader.reusable());
            }
            return new Reading(
                    "ok",
                    reader.head().status(),
                    text(reader.body()),
                    reader.cut(),
                    reader.reusable());
        }
    }

    private static void feed(ResponseReader reader, byte[] bytes, int... ends) throws IOException {
        var start = 0;
        for (var end : ends) {
            reader.read(Unpooled.wrappedBuffer(Arrays.copyOfRange(bytes, start, end)));
            start = end;
        }
        if (!reader.done()) {
            reader.closed();
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

    /** Every place between two bytes, and the end. */
    static int[] everywhere(String answer) {
        var ends = new int[answer.length()];
        Arrays.setAll(ends, i -> i + 1);
        return ends;
    }
}
