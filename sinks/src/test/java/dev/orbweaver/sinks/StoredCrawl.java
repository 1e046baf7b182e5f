package dev.orbweaver.sinks;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import dev.orbweaver.internal.archive.Tombstones;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.sink.Compression;
import dev.orbweaver.internal.sink.FleetPart;
import dev.orbweaver.internal.sink.OtherCrawl;
import dev.orbweaver.internal.sink.RecordOptions;
import dev.orbweaver.internal.sink.WarcSettings;
import dev.orbweaver.internal.sink.WarcSink;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Page;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.model.Timings;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A crawl's outputs written directly through the real sink, at fixed times. */
public final class StoredCrawl implements AutoCloseable {

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);
    private static final Instant BEGIN = Instant.parse("2030-01-01T00:00:00Z");

    private final Path directory;
    private final WarcSink sink;
    private final Map<String, CommittedLength> marks = new LinkedHashMap<>();
    private int count;
    private boolean defers;

    /** Creates a crawl in a directory. */
    public StoredCrawl(Path directory, long warcBytesMax) throws IOException {
        this(directory, warcBytesMax, List.of());
    }

    /** Creates a crawl that refers to the payloads of others. */
    public StoredCrawl(Path directory, long warcBytesMax, List<OtherCrawl> others)
            throws IOException {
        this.directory = directory;
        var temporary = Files.createDirectories(directory.resolve("tmp"));
        sink =
                WarcSink.open(
                        new RealDisk(),
                        directory,
                        new WarcSettings(
                                Compression.GZIP,
                                warcBytesMax,
                                Map.of("software", "test"),
                                temporary,
                                false,
                                RecordOptions.DEFAULT),
                        List.of(),
                        InstantSource.fixed(BEGIN),
                        others);
    }

    /** Adds a page. */
    @CanIgnoreReturnValue
    public StoredCrawl page(String url, byte[] body) throws IOException {
        return response(url, Kind.PAGE, 200, body, "");
    }

    /** Adds a page with fields of extractors, as a JSON object. */
    @CanIgnoreReturnValue
    public StoredCrawl pageWithFields(String url, String body, String json) throws IOException {
        return response(
                url,
                Kind.PAGE,
                200,
                body.getBytes(UTF_8),
                "",
                Page.EMPTY.withExtraction(List.of(), json, ""));
    }

    /** Adds a page of text. */
    @CanIgnoreReturnValue
    public StoredCrawl page(String url, String body) throws IOException {
        return page(url, body.getBytes(UTF_8));
    }

    /** Adds a redirect. */
    @CanIgnoreReturnValue
    public StoredCrawl redirect(String url, String location) throws IOException {
        return response(url, Kind.REDIRECT, 301, new byte[0], "Location: " + location + "\r\n");
    }

    /** Adds a visit without a response. */
    @CanIgnoreReturnValue
    public StoredCrawl failed(String url, String cause) throws IOException {
        write(
                new Capture(
                        URLS.parse(url).orElseThrow(),
                        Kind.FAILED,
                        Hop.LINK,
                        2,
                        CaptureRef.ofLine(1),
                        3,
                        time(),
                        Optional.empty(),
                        Page.EMPTY,
                        cause,
                        "no answer"));
        return this;
    }

    private StoredCrawl response(String url, Kind kind, int status, byte[] body, String fields)
            throws IOException {
        return response(url, kind, status, body, fields, Page.EMPTY);
    }

    private StoredCrawl response(
            String url, Kind kind, int status, byte[] body, String fields, Page page)
            throws IOException {
        var head = "HTTP/1.1 " + status + " x\r\nContent-Type: text/html\r\n" + fields + "\r\n";
        var crawlUrl = URLS.parse(url).orElseThrow();
        var exchange =
                new Exchange(
                        crawlUrl,
                        "GET / HTTP/1.1\r\n\r\n".getBytes(ISO_8859_1),
                        new ResponseHead(head.getBytes(UTF_8), status),
                        new Body.InMemory(body, body.length),
                        InetAddress.ofLiteral("192.0.2.1"),
                        new Timings(time(), Duration.ZERO, Duration.ZERO, Duration.ofMillis(7)),
                        Optional.empty());
        write(
                new Capture(
                        crawlUrl,
                        kind,
                        Hop.LINK,
                        1,
                        CaptureRef.NONE,
                        0,
                        time(),
                        Optional.of(exchange),
                        page,
                        "",
                        ""));
        return this;
    }

    private Instant time() {
        return BEGIN.plusSeconds(count);
    }

    private void write(Capture capture) throws IOException {
        count++;
        var _ = sink.write(sink.prepare(capture), defers);
        defers = false;
    }

    /** Defers the links of the following captures: they are read from the WARC file later. */
    @CanIgnoreReturnValue
    public StoredCrawl deferringLinks() {
        defers = true;
        return this;
    }

    /** Commits everything written so far. */
    @CanIgnoreReturnValue
    public synchronized StoredCrawl commit() throws IOException {
        sink.commit().forEach(mark -> marks.put(mark.name(), mark));
        return this;
    }

    /** Returns the lengths at the last commit. */
    public synchronized List<CommittedLength> marks() {
        return List.copyOf(marks.values());
    }

    /** Returns the crawl as sinks see it. */
    public CrawlFiles files() throws IOException {
        return files(Tombstones.NONE);
    }

    /** Returns the crawl with something taken down. */
    public CrawlFiles files(Tombstones tombstones) throws IOException {
        return new CrawlFiles(
                directory,
                JobName.loadOrCreate(directory),
                FleetPart.read(directory),
                this::marks,
                URLS,
                tombstones);
    }

    @Override
    public void close() throws IOException {
        sink.close();
    }
}
