package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.model.Timings;

import org.netpreserve.jwarc.WarcReader;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads captures from their locations in the page log, also while the crawl is running. */
public final class CaptureReader {

    private static final int BUFFER = 1 << 16;

    private final Path directory;

    /** The end of each line that was returned last, in the page log, by line number. */
    private final Map<Long, Long> positions = new HashMap<>();

    public CaptureReader(Path directory) {
        this.directory = directory;
    }

    /**
     * Returns a line of the page log; empty if the log does not have it any more.
     *
     * @param length of the log, up to the end of a line
     */
    public Optional<PageLogEntry> find(long line, long length) throws IOException {
        return PageLogLookup.find(directory.resolve(DirectoryLayout.PAGE_LOG), length, line);
    }

    /**
     * Returns the next captures whose links were deferred, in order. It continues fast after the
     * last ones returned.
     *
     * @param capture only captures after this one
     * @param count how many there must be
     */
    public List<PageLogEntry> deferredLinksAfter(long capture, int count) throws IOException {
        var found = new ArrayList<PageLogEntry>(count);
        var at = positions.getOrDefault(capture, 0L);
        positions.clear();
        try (var log = FileChannel.open(directory.resolve(DirectoryLayout.PAGE_LOG)).position(at);
                var in = new BufferedInputStream(Channels.newInputStream(log), BUFFER)) {
            var line = new ByteArrayOutputStream();
            for (var next = in.read(); next >= 0 && found.size() < count; next = in.read()) {
                at++;
                line.write(next);
                if (next == '\n') {
                    var entry = PageLog.parseLine(line.toString(StandardCharsets.UTF_8));
                    line.reset();
                    if (entry.linksDeferred() && entry.seq() > capture) {
                        found.add(entry);
                        positions.put(entry.seq(), at);
                    }
                }
            }
        }
        if (found.size() < count) {
            throw new IOException(
                    "the page log has %d pages with deferred links, expected %d"
                            .formatted(found.size(), count));
        }
        return found;
    }

    /**
     * Returns the stored response. A revisit has its own head and the body of its original; a 304
     * also has the head of its original, which describes the body. Request and connection are not
     * restored.
     */
    public Exchange exchange(PageLogEntry entry, CrawlUrl url) throws IOException {
        var block = block(headLocation(entry));
        var message = block.bytes;
        var end = headEnd(message);
        var body =
                entry.original().equals(WarcLocation.NONE) || isNotModified(entry)
                        ? Arrays.copyOfRange(message, end, message.length)
                        : body(entry.original(), entry.digest());
        return new Exchange(
                url,
                new byte[0],
                new ResponseHead(Arrays.copyOf(message, end), entry.status()),
                new Body.InMemory(body, body.length),
                InetAddress.getLoopbackAddress(),
                new Timings(entry.time(), Duration.ZERO, Duration.ZERO, Duration.ZERO),
                block.truncated ? Optional.of(Exchange.Truncation.LENGTH) : Optional.empty());
    }

    /**
     * Opens the stored response as a stream, for bodies of any size; of a revisit the head is its
     * own and the body that of the original record.
     */
    public ResponseStream open(PageLogEntry entry) throws IOException {
        var own = ResponseStream.open(directory, headLocation(entry), entry.status());
        if (entry.original().equals(WarcLocation.NONE) || isNotModified(entry)) {
            return own;
        }
        try (own) {
            var original = ResponseStream.open(directory, entry.original(), entry.status());
            original.requirePayload(entry.digest(), entry.original());
            return original.withHead(own.head());
        }
    }

    /**
     * Returns why the payload of a line cannot be read, if another crawl has it and that crawl is
     * missing.
     */
    public Optional<String> missingPayload(PageLogEntry entry) {
        try {
            var found = OtherRecords.find(directory, entry.original());
            return !entry.original().isElsewhere()
                            || Files.exists(
                                    WarcFiles.find(found.directory(), found.location().warc()))
                    ? Optional.empty()
                    : Optional.of(
                            found.directory().resolve(found.location().warc()) + " is missing");
        } catch (IOException e) {
            return Optional.ofNullable(e.getMessage());
        }
    }

    private static WarcLocation headLocation(PageLogEntry entry) {
        return isNotModified(entry) ? entry.original() : WarcRewriter.location(entry);
    }

    private static boolean isNotModified(PageLogEntry entry) {
        return entry.status() == 304 && !entry.original().equals(WarcLocation.NONE);
    }

    /**
     * Returns the payload of an original record.
     *
     * @param digest that it must have if another crawl has the record
     */
    byte[] body(WarcLocation place, String digest) throws IOException {
        var block = block(place);
        ResponseStream.requirePayload(block.payloadDigest, digest, place);
        var message = block.bytes;
        return Arrays.copyOfRange(message, headEnd(message), message.length);
    }

    /**
     * @param truncated whether the body was cut at {@code max-body}
     */
    @SuppressWarnings("ArrayRecordComponent") // Blocks are never compared.
    private record Block(byte[] bytes, boolean truncated, Optional<String> payloadDigest) {}

    private Block block(WarcLocation place) throws IOException {
        try (var in = openDecompressed(place);
                var reader = new WarcReader(in)) {
            var record = reader.next();
            if (record.isEmpty()) {
                throw new IOException(
                        "no record at offset " + place.offset() + " of " + place.warc());
            }
            return new Block(
                    record.get().body().stream().readAllBytes(),
                    record.get().headers().first(ResponseStream.TRUNCATED).isPresent(),
                    record.get().headers().first(ResponseStream.PAYLOAD_DIGEST));
        }
    }

    /** Opens a record without zstd compression; jwarc decodes gzip itself. */
    InputStream openDecompressed(WarcLocation location) throws IOException {
        var found = OtherRecords.find(directory, location);
        var place = found.location();
        var bytes = ByteBuffer.allocate(Math.toIntExact(place.length()));
        try (var file = WarcFiles.open(found.directory(), place.warc())) {
            while (bytes.hasRemaining()) {
                if (file.read(bytes, place.offset() + bytes.position()) < 0) {
                    throw new IOException(place.warc() + " ends before a record of the page log");
                }
            }
        }
        return Compression.of(place.warc()).decompress(new ByteArrayInputStream(bytes.array()));
    }

    private static int headEnd(byte[] message) throws IOException {
        for (var i = 3; i < message.length; i++) {
            if (message[i] == '\n' && message[i - 1] == '\r' && message[i - 2] == '\n') {
                return i + 1;
            }
            if (message[i] == '\n' && message[i - 1] == '\n') {
                return i + 1;
            }
        }
        throw new IOException("the head of a stored response has no end");
    }
}
