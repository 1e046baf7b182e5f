package dev.orbweaver.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.seeds.SeedLine;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/** Receives a seed list: one URL per line, as text or compressed with gzip. */
final class SeedUpload {

    static final long BYTES_MAX = 256L << 20;
    static final int LINE_BYTES_MAX = 16 << 10;

    private SeedUpload() {}

    /** Writes the checked lines of a body to a file. */
    static void receive(ApiCall apiCall, Path file) throws IOException {
        requireFits(apiCall.context().req().getContentLengthLong());
        try (var in = new BufferedInputStream(text(apiCall));
                var out = new BufferedOutputStream(Files.newOutputStream(file))) {
            var line = new ByteArrayOutputStream();
            var bytes = 0L;
            var number = 1L;
            var urls = 0L;
            for (var next = in.read(); next >= 0; next = in.read()) {
                bytes++;
                requireFits(bytes);
                out.write(next);
                if (next == '\n') {
                    urls += check(line, number++) ? 1 : 0;
                    line.reset();
                } else if (line.size() < LINE_BYTES_MAX) {
                    line.write(next);
                } else {
                    throw invalid(number, "it has more than %,d bytes".formatted(LINE_BYTES_MAX));
                }
            }
            urls += check(line, number) ? 1 : 0;
            if (urls == 0) {
                throw ProblemException.of(
                        ProblemException.BAD_REQUEST, "The seed list has no URL.");
            }
        } catch (ZipException | EOFException e) {
            throw ProblemException.of(
                    ProblemException.BAD_REQUEST,
                    "The body is not complete gzip data: %s.".formatted(e.getMessage()));
        }
    }

    private static InputStream text(ApiCall apiCall) throws IOException {
        var body = apiCall.context().req().getInputStream();
        var type = apiCall.header("Content-Type").orElse("").toLowerCase(Locale.ROOT);
        var encoding = apiCall.header("Content-Encoding").orElse("").toLowerCase(Locale.ROOT);
        if (!encoding.isEmpty() && !encoding.equals("gzip") && !encoding.equals("identity")) {
            throw ProblemException.of(
                    ProblemException.UNSUPPORTED_MEDIA_TYPE,
                    "Content-Encoding must be gzip or absent, not '%s'.".formatted(encoding));
        }
        return encoding.equals("gzip") || type.startsWith("application/gzip")
                ? new GZIPInputStream(body)
                : body;
    }

    private static void requireFits(long bytes) {
        if (bytes > BYTES_MAX) {
            throw ProblemException.of(
                    ProblemException.TOO_LARGE,
                    "The seed list is larger than the maximum of %d MiB of text; send it in parts."
                            .formatted(BYTES_MAX >> 20));
        }
    }

    /** Checks a line, and returns whether it has a URL. */
    private static boolean check(ByteArrayOutputStream line, long number) {
        return switch (SeedLine.parse(line.toString(UTF_8), JobsApi.URLS)) {
            case SeedLine.Malformed(var reason) -> throw invalid(number, reason);
            case SeedLine.Again _, SeedLine.Visited _ ->
                    throw invalid(number, "visited and last-visit are not accepted here");
            case SeedLine.Wanted _ -> true;
            case SeedLine.Comment _ -> false;
        };
    }

    private static ProblemException invalid(long number, String reason) {
        return ProblemException.inField(
                "line " + number,
                "Line %,d of the seed list is not valid: %s; nothing was added."
                        .formatted(number, reason));
    }
}
