package dev.orbweaver.internal.sink;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.Exchange.Truncation;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Page;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.model.Timings;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Creates captures with fixed inputs. */
final class Captures {

    static final Instant TIME = Instant.parse("2026-03-01T12:00:00.123Z");
    private static final String REQUEST = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n";

    private Captures() {}

    static CrawlUrl url(String text) {
        return CrawlUrl.fromStored(text, new Fingerprint(1, (short) 2));
    }

    static Capture page(String url, Body body, String... fields) {
        return of(url(url), exchange(url(url), body, Optional.empty(), fields));
    }

    static Capture page(String url, String body, String... fields) {
        var bytes = body.getBytes(ISO_8859_1);
        return page(url, new Body.InMemory(bytes, bytes.length), fields);
    }

    static Capture of(CrawlUrl url, Exchange exchange) {
        var page = new Page("A title", "UTF-8", List.of(), false, false);
        return new Capture(
                url,
                Kind.PAGE,
                Hop.LINK,
                2,
                CaptureRef.ofLine(1),
                0,
                TIME,
                Optional.of(exchange),
                page,
                "",
                "");
    }

    static Capture failed(String url) {
        return new Capture(
                url(url),
                Kind.FAILED,
                Hop.LINK,
                2,
                CaptureRef.ofLine(1),
                3,
                TIME,
                Optional.empty(),
                Page.EMPTY,
                "connect",
                "refused");
    }

    static Exchange exchange(
            CrawlUrl url, Body body, Optional<Truncation> truncated, String... fields) {
        var head = new StringBuilder("HTTP/1.1 200 OK\r\n");
        for (var field : fields) {
            head.append(field).append("\r\n");
        }
        return new Exchange(
                url,
                REQUEST.getBytes(ISO_8859_1),
                new ResponseHead(head.append("\r\n").toString().getBytes(ISO_8859_1), 200),
                body,
                InetAddress.ofLiteral("192.0.2.1"),
                new Timings(TIME, Duration.ZERO, Duration.ZERO, Duration.ofMillis(70)),
                truncated);
    }

    static WarcSettings settings(Compression compression, long fileBytesMax, Path directory) {
        return new WarcSettings(
                compression,
                fileBytesMax,
                Map.of("software", "Orbweaver/1", "robots", "obey", "operator", "Zoë"),
                directory,
                true,
                RecordOptions.DEFAULT);
    }
}
