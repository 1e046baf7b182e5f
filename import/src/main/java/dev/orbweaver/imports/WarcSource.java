package dev.orbweaver.imports;

import dev.orbweaver.internal.sink.Compression;

import org.netpreserve.jwarc.ParsingException;
import org.netpreserve.jwarc.WarcCaptureRecord;
import org.netpreserve.jwarc.WarcDigest;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcResponse;
import org.netpreserve.jwarc.WarcRevisit;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.Locale;
import java.util.zip.ZipException;

/** The URLs of the response and revisit records of a WARC file. */
record WarcSource(String description, String file) implements CaptureSource {

    private static final long PROGRESS_RECORDS = 100_000;

    @Override
    public void readCaptures(CaptureOutput out) throws IOException, InterruptedException {
        var path = InputFile.path(file);
        try (var reader = reader(Files.newInputStream(path), file)) {
            readCaptures(reader, file, out);
        } catch (ParsingException | EOFException | ZipException e) {
            throw damaged(file, e);
        }
    }

    /** Opens a WARC file, by its name compressed with zstd or else as its first bytes say. */
    static WarcReader reader(InputStream in, String name) throws IOException {
        return new WarcReader(name.endsWith(".zst") ? Compression.ZSTD.decompress(in) : in);
    }

    static SourceException damaged(String file, IOException e) {
        return new SourceException(
                "%s is not a WARC file, or is damaged (%s); records before were read"
                        .formatted(file, e.getMessage()));
    }

    static void readCaptures(WarcReader reader, String file, CaptureOutput out)
            throws IOException, InterruptedException {
        var number = 0L;
        for (var record = reader.next(); record.isPresent(); record = reader.next()) {
            number++;
            if (record.get() instanceof WarcCaptureRecord capture) {
                add(number, capture, out);
            }
            if (number % PROGRESS_RECORDS == 0) {
                out.progress("%s: %,d records".formatted(file, number));
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        }
    }

    private static void add(long number, WarcCaptureRecord record, CaptureOutput out)
            throws IOException {
        var isCapture = record instanceof WarcResponse || record instanceof WarcRevisit;
        if (!isCapture || !isWeb(record.target())) {
            return; // Such as metadata, and captures of DNS.
        }
        int status;
        try {
            status =
                    switch (record) {
                        case WarcResponse response -> response.http().status();
                        case WarcRevisit revisit -> revisit.http().status();
                        default -> 0;
                    };
        } catch (IOException | IllegalArgumentException e) {
            // A revisit may have no head, and a response may not be HTTP.
            status = 0;
        }
        out.add(
                number,
                new ArchivedCapture(
                        record.target(),
                        record.date(),
                        status,
                        record.payloadDigest().map(WarcDigest::raw).orElse("")));
    }

    private static boolean isWeb(String target) {
        var scheme = target.substring(0, Math.min(8, target.length())).toLowerCase(Locale.ROOT);
        return scheme.startsWith("http://") || scheme.startsWith("https://");
    }
}
