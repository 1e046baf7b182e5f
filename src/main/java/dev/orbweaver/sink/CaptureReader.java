package dev.orbweaver.sink;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;

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
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads captures back from where the page log says that they lie, also while the crawl runs. */
public final class CaptureReader {

    private static final int BUFFER = 1 << 16;

    private final Path folder;

    /** Where in the page log the lines end that were given last, by their numbers. */
    private final Map<Long, Long> positions = new HashMap<>();

    /** Reads a crawl's folder. */
    public CaptureReader(Path folder) {
        this.folder = folder;
    }

    /**
     * The next captures whose links were deferred, in order. Asked with what it gave last, it goes
     * on from there.
     *
     * @param capture those behind this one
     * @param count how many there must be
     */
    public List<PageEntry> deferredAfter(long capture, int count) throws IOException {
        var found = new ArrayList<PageEntry>(count);
        var at = positions.getOrDefault(capture, 0L);
        positions.clear();
        try (var log = FileChannel.open(folder.resolve(PageLog.FILE)).position(at);
                var in = new BufferedInputStream(Channels.newInputStream(log), BUFFER)) {
            var line = new ByteArrayOutputStream();
            for (var next = in.read(); next >= 0 && found.size() < count; next = in.read()) {
                at++;
                line.write(next);
                if (next == '\n') {
                    var entry = PageLog.entry(line.toString(StandardCharsets.UTF_8));
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
                    "the page log has %d pages whose links wait, not %d"
                            .formatted(found.size(), count));
        }
        return found;
    }

    /** The answer as it was stored. Of the request and the connection nothing is brought back. */
    public Exchange exchange(PageEntry entry, CrawlUrl url) throws IOException {
        try (var in = decompressed(entry);
                var reader = new WarcReader(in)) {
            var record = reader.next();
            if (record.isEmpty()) {
                throw new IOException(
                        "there is no record at " + entry.offset() + " of " + entry.warc());
            }
            var message = record.get().body().stream().readAllBytes();
            var end = headEnd(message);
            var head = new byte[end];
            System.arraycopy(message, 0, head, 0, end);
            var body = new byte[message.length - end];
            System.arraycopy(message, end, body, 0, body.length);
            return new Exchange(
                    url,
                    new byte[0],
                    new ResponseHead(head, entry.status()),
                    new Body.InMemory(body, body.length),
                    InetAddress.getLoopbackAddress(),
                    new Timings(entry.time(), Duration.ZERO, Duration.ZERO, Duration.ZERO),
                    Optional.empty());
        }
    }

    private InputStream decompressed(PageEntry entry) throws IOException {
        var bytes = ByteBuffer.allocate(Math.toIntExact(entry.length()));
        try (var file = FileChannel.open(folder.resolve(entry.warc()))) {
            while (bytes.hasRemaining()) {
                if (file.read(bytes, entry.offset() + bytes.position()) < 0) {
                    throw new IOException(
                            entry.warc() + " ends before a record that the log names");
                }
            }
        }
        var stored = new ByteArrayInputStream(bytes.array());
        // jwarc reads plain and gzip by itself, but not zstd.
        return entry.warc().endsWith(Compression.ZSTD.extension())
                ? new ZstdInputStreamNoFinalizer(stored)
                : stored;
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
        throw new IOException("a stored answer has no end to its head");
    }
}
