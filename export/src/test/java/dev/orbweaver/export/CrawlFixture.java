package dev.orbweaver.export;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import dev.orbweaver.internal.archive.CrawlArchive;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.Tombstones;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.parse.HtmlParser;
import dev.orbweaver.internal.sink.Compression;
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
import dev.orbweaver.spi.Document;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Creates a crawl directory with the real sink, with controlled times. */
public final class CrawlFixture implements AutoCloseable {

    static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);
    private static final Instant BEGIN = Instant.parse("2030-01-01T00:00:00Z");

    private final Path directory;
    private final WarcSink sink;
    private final List<CommittedLength> marks = new ArrayList<>();
    private int count;

    CrawlFixture(Path directory, Compression compression) throws IOException {
        this.directory = directory;
        var temporary = Files.createDirectories(directory.resolve("tmp"));
        sink =
                WarcSink.open(
                        new RealDisk(),
                        directory,
                        new WarcSettings(
                                compression,
                                1 << 30,
                                Map.of("software", "test"),
                                temporary,
                                false,
                                RecordOptions.DEFAULT),
                        List.of(),
                        InstantSource.fixed(BEGIN));
    }

    public static CrawlFixture in(Path directory) throws IOException {
        return new CrawlFixture(directory, Compression.GZIP);
    }

    /** Adds an HTML page. */
    @CanIgnoreReturnValue
    public CrawlFixture page(String url, String html, String... fields) throws IOException {
        return response(url, Kind.PAGE, 200, html, fields);
    }

    /** Adds a page with a title, a heading and the given number of words. */
    @CanIgnoreReturnValue
    public CrawlFixture article(String url, String title, int words) throws IOException {
        return page(url, html(title, words));
    }

    static String html(String title, int words) {
        var text = new StringBuilder();
        for (var i = 0; i < words; i++) {
            text.append(i % 12 == 0 ? "</p><p>" : " ").append(title.replace(' ', '-')).append(i);
        }
        return "<html lang=en><title>%s</title><main><h1>%s</h1><p>%s</p></main>"
                .formatted(title, title, text);
    }

    @CanIgnoreReturnValue
    public CrawlFixture redirect(String url, String location) throws IOException {
        return response(url, Kind.REDIRECT, 301, "", "Location: " + location);
    }

    @CanIgnoreReturnValue
    public CrawlFixture notFound(String url) throws IOException {
        return response(url, Kind.ERROR, 404, "<title>Not here</title>");
    }

    @CanIgnoreReturnValue
    public CrawlFixture failed(String url, String cause) throws IOException {
        write(
                new Capture(
                        URLS.parse(url).orElseThrow(),
                        Kind.FAILED,
                        Hop.LINK,
                        1,
                        CaptureRef.ofLine(1),
                        2,
                        time(),
                        Optional.empty(),
                        Page.EMPTY,
                        cause,
                        "no response"));
        return this;
    }

    @CanIgnoreReturnValue
    CrawlFixture response(String url, Kind kind, int status, String body, String... fields)
            throws IOException {
        return response(url, kind, status, "text/html", body.getBytes(UTF_8), false, fields);
    }

    /** Adds a response of any type, whose body may be cut. */
    @CanIgnoreReturnValue
    CrawlFixture body(
            String url, String contentType, byte[] bytes, boolean truncated, String... fields)
            throws IOException {
        return response(url, Kind.PAGE, 200, contentType, bytes, truncated, fields);
    }

    @CanIgnoreReturnValue
    private CrawlFixture response(
            String url,
            Kind kind,
            int status,
            String contentType,
            byte[] bytes,
            boolean truncated,
            String... fields)
            throws IOException {
        var head =
                new StringBuilder(
                        "HTTP/1.1 %d x\r\nContent-Type: %s\r\n".formatted(status, contentType));
        for (var field : fields) {
            head.append(field).append("\r\n");
        }
        var crawlUrl = URLS.parse(url).orElseThrow();
        var exchange =
                new Exchange(
                        crawlUrl,
                        ("GET " + crawlUrl.pathAndQuery() + " HTTP/1.1\r\n\r\n")
                                .getBytes(ISO_8859_1),
                        new ResponseHead(head.append("\r\n").toString().getBytes(UTF_8), status),
                        new Body.InMemory(bytes, bytes.length),
                        InetAddress.ofLiteral("192.0.2.1"),
                        new Timings(time(), Duration.ZERO, Duration.ZERO, Duration.ofMillis(7)),
                        truncated ? Optional.of(Exchange.Truncation.LENGTH) : Optional.empty());
        var document = new Document(crawlUrl, "text/html", List.of(), bytes, bytes.length);
        write(
                new Capture(
                        crawlUrl,
                        kind,
                        count == 0 ? Hop.SEED : Hop.LINK,
                        Math.min(count, 1),
                        CaptureRef.ofLine(Math.min(count, 1)),
                        0,
                        time(),
                        Optional.of(exchange),
                        new HtmlParser(URLS, true).parse(document),
                        "",
                        ""));
        return this;
    }

    private Instant time() {
        return BEGIN.plusSeconds(count);
    }

    private void write(Capture capture) throws IOException {
        count++;
        var _ = sink.write(sink.prepare(capture), false);
    }

    /** Commits the captures written so far. */
    @CanIgnoreReturnValue
    public CrawlFixture commit() throws IOException {
        marks.addAll(sink.commit());
        return this;
    }

    /** Commits, and opens the crawl as an export does. */
    CrawlPages pages() throws IOException {
        return new CrawlPages(List.of(commit().crawl()), Tombstones.NONE);
    }

    /** Opens the committed part of the crawl. */
    public CrawlArchive crawl() throws IOException {
        return new CrawlArchive(directory, Optional.of(marks), URLS);
    }

    /** Opens the crawl as a worker's part of a fleet job. */
    CrawlArchive fleetPart() throws IOException {
        return new CrawlArchive(
                directory, true, CrawlArchive.logIdentity(directory), Optional.of(marks), URLS);
    }

    /** Writes page log lines without a frontier. */
    static CrawlArchive withoutFrontier(Path directory) throws IOException {
        return new CrawlArchive(directory, Optional.empty(), URLS);
    }

    @Override
    public void close() throws IOException {
        var _ = sink.commit();
        sink.close();
    }
}
