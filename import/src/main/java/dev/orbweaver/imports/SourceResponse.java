package dev.orbweaver.imports;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.model.Body;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.ResponseHead;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.Locale;

/**
 * A complete response with its content codings undone. A large body is in a temporary file, which
 * {@link #close} deletes.
 *
 * @param url the URL that responded, after redirects
 */
record SourceResponse(CrawlUrl url, ResponseHead head, Body body) implements Closeable {

    private static final int EXCERPT_BYTES = 4_096;

    int status() {
        return head.status();
    }

    String contentType() {
        return head.field("content-type").orElse("");
    }

    /** Returns the content; each call starts at the first byte. */
    InputStream open() throws IOException {
        return switch (body) {
            case Body.InMemory(var bytes, var size) -> new ByteArrayInputStream(bytes, 0, size);
            case Body.InFile(var file, _) -> new BufferedInputStream(Files.newInputStream(file));
        };
    }

    /** Returns the beginning of the content. */
    byte[] beginning(int bytesMax) throws IOException {
        try (var in = open()) {
            return in.readNBytes(bytesMax);
        }
    }

    /** Returns the beginning of the content, byte by byte as characters, in lower case. */
    String excerpt() throws IOException {
        return new String(beginning(EXCERPT_BYTES), ISO_8859_1).toLowerCase(Locale.ROOT);
    }

    /** Returns whether the content is a page for people instead of data. */
    boolean looksLikeHtml() throws IOException {
        var start = excerpt().stripLeading();
        return start.startsWith("<!doctype html") || start.startsWith("<html");
    }

    @Override
    public void close() throws IOException {
        delete(body);
    }

    static void delete(Body body) throws IOException {
        if (body instanceof Body.InFile(var file, _)) {
            Files.deleteIfExists(file);
        }
    }
}
