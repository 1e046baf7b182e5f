package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.crawl.Fields;
import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.parse.HtmlTree;
import dev.orbweaver.internal.sink.CaptureReader;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.sink.ResponseStream;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Capture;
import dev.orbweaver.spi.CrawledPage;
import dev.orbweaver.spi.Document;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A line of the page log, with its response read on demand. */
record LoggedPage(PageLogEntry entry, CaptureReader captures, CrawlUrls urls)
        implements CrawledPage {

    private static final int TEXT_BYTES_MAX = 16 << 20;

    @Override
    public long sequence() {
        return entry.seq();
    }

    @Override
    public String url() {
        return entry.url();
    }

    @Override
    public Capture.Kind kind() {
        return entry.kind();
    }

    @Override
    public int status() {
        return entry.status();
    }

    @Override
    public Instant time() {
        return entry.time();
    }

    @Override
    public String mediaType() {
        return entry.mediaType();
    }

    @Override
    public String title() {
        return entry.title();
    }

    @Override
    public int depth() {
        return entry.depth();
    }

    @Override
    public long parentSequence() {
        var parent = entry.parentRef();
        return parent.worker() == 0 ? parent.line() : 0; // Another worker counts its own lines.
    }

    @Override
    public String cause() {
        return entry.cause();
    }

    @Override
    public String detail() {
        return entry.detail();
    }

    @Override
    public String location() {
        return entry.location();
    }

    @Override
    public Map<String, Object> fields() {
        return Fields.parse(entry.fields());
    }

    @Override
    public Optional<String> header(String name) throws IOException {
        if (!entry.isStored()) {
            return Optional.empty();
        }
        try (var response = open()) {
            return response.head().field(name);
        }
    }

    @Override
    public boolean isTruncated() throws IOException {
        if (!entry.isStored()) {
            return false;
        }
        try (var response = open()) {
            return response.isTruncated();
        }
    }

    @Override
    public InputStream body() throws IOException {
        var response = open();
        try {
            var decoded = ContentReader.decoded(response.head(), response.body(), entry.bytes());
            return new FilterInputStream(decoded) {
                @Override
                public void close() throws IOException {
                    try (response) {
                        super.close();
                    }
                }
            };
        } catch (IOException | RuntimeException e) {
            response.close();
            throw e;
        }
    }

    private ResponseStream open() throws IOException {
        if (!entry.isStored()) {
            throw new IOException("no response of " + entry.url() + " is stored");
        }
        return captures.open(entry);
    }

    @Override
    public String text() throws IOException {
        return HtmlTree.text(stored());
    }

    @Override
    public org.jsoup.nodes.Document document() throws IOException {
        return HtmlTree.of(stored());
    }

    private Document stored() throws IOException {
        var url =
                urls.parse(entry.url())
                        .orElseThrow(() -> new IOException("not a URL: " + entry.url()));
        try (var response = open();
                var content =
                        ContentReader.decoded(response.head(), response.body(), entry.bytes())) {
            var bytes = content.readNBytes(TEXT_BYTES_MAX);
            var type = response.head().field("content-type").orElse("");
            return new Document(url, type, List.of(), bytes, bytes.length);
        }
    }
}
