package dev.orbweaver.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.fetch.MalformedResponses;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.Timings;
import dev.orbweaver.testing.Fuzz;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcRequest;
import org.netpreserve.jwarc.WarcResponse;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** The archive stores every response of a server, and third-party readers find it there. */
@Slow
class SinkMutationTest {

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    @TempDir Path directory;

    @Test
    void whatTheFetcherTakesIsReadBackFromTheWarcAsItCame() {
        MalformedResponses.fuzz("warc").run(this::checkRecords);
    }

    private void checkRecords(byte[] input, Random random) throws Exception {
        var parsedResponse = MalformedResponses.read(input, directory);
        if (parsedResponse.isEmpty()
                || !(parsedResponse.get().body() instanceof Body.InMemory(var body, var size))) {
            return;
        }
        var url = url(input, random);
        var request = ("GET " + url.pathAndQuery() + " HTTP/1.1\r\n\r\n").getBytes(ISO_8859_1);
        var exchange =
                new Exchange(
                        url,
                        request,
                        parsedResponse.get().head(),
                        parsedResponse.get().body(),
                        InetAddress.ofLiteral(random.nextBoolean() ? "192.0.2.1" : "2001:db8::1"),
                        new Timings(Captures.TIME, Duration.ZERO, Duration.ZERO, Duration.ZERO),
                        Optional.empty());
        var compression = random.nextBoolean() ? Compression.GZIP : Compression.NONE;
        var records = new WarcRecords(compression, directory);
        var preparedCapture = records.prepare(Captures.of(url, exchange));
        records.close();
        var head = WarcRecords.archiveHead(exchange);
        try (var reader = new WarcReader(new ByteArrayInputStream(bytes(preparedCapture)))) {
            var response = (WarcResponse) reader.next().orElseThrow();
            assertThat(response.target()).isEqualTo(url.text());
            assertThat(response.payloadDigest().orElseThrow().prefixedBase32())
                    .isEqualTo(preparedCapture.digest());
            var block = response.body().stream().readAllBytes();
            assertThat(Arrays.copyOf(block, head.length)).isEqualTo(head);
            assertThat(Arrays.copyOfRange(block, head.length, block.length))
                    .isEqualTo(Arrays.copyOf(body, size));
            var sent = (WarcRequest) reader.next().orElseThrow();
            assertThat(sent.body().stream().readAllBytes()).isEqualTo(request);
            assertThat(reader.next()).isEmpty();
        }
    }

    /** Any URL that the crawl would accept, made from the same bytes. */
    private static CrawlUrl url(byte[] input, Random random) {
        var from = random.nextInt(input.length + 1);
        var text = new String(input, from, Math.min(200, input.length - from), ISO_8859_1);
        return URLS.parse("http://a.test/" + text).orElse(Captures.url("http://a.test/x"));
    }

    private static byte[] bytes(PreparedCapture preparedCapture) throws IOException {
        var records = bytes(preparedCapture.records());
        if (preparedCapture.bodyOffset() == PreparedCapture.BODY_INCLUDED) {
            return records;
        }
        var whole = new ByteArrayOutputStream();
        whole.write(records, 0, preparedCapture.bodyOffset());
        whole.writeBytes(bytes(preparedCapture.capture().exchange().orElseThrow().body()));
        whole.write(
                records,
                preparedCapture.bodyOffset(),
                records.length - preparedCapture.bodyOffset());
        return whole.toByteArray();
    }

    private static byte[] bytes(Body body) throws IOException {
        return switch (body) {
            case Body.InMemory(var bytes, var size) -> Arrays.copyOf(bytes, size);
            case Body.InFile(var file, _) -> Files.readAllBytes(file);
        };
    }

    @Test
    void anyTextInALineOfThePageLogComesBackAsItWasAndInOneLine() {
        Fuzz.of("page log line", List.of("a title", "Zoë \"and\" \\ all"), WORDS)
                .run(
                        (input, _) -> {
                            var text = new String(input, UTF_8);
                            var entry = entry(text);
                            var line = new String(entry.toJsonLine(), UTF_8);
                            assertThat(line.indexOf('\n')).isEqualTo(line.length() - 1);
                            assertThat(read(entry.toJsonLine())).containsExactly(entry);
                        });
    }

    private static final String[] WORDS = {
        "\"",
        "\\",
        "\\u0000",
        "\n",
        "\r",
        "\u2028",
        "\u0085",
        "{",
        "}",
        ",",
        ":",
        "null",
        "true",
        "1e999",
        "-1",
        "99999999999999999999",
        "\"seq\":",
        "\"kind\":\"page\"",
        "\"time\":",
        "\"2026-03-01T12:00:00Z\"",
        "\"status\":",
        "[",
        "]",
        "é",
        "\uD83D\uDE00",
        "robots",
        "PAGE"
    };

    @Test
    void aDamagedPageLogIsReadUpToTheDamageOrRefusedWithASentence() {
        var whole =
                new String(entry("one").toJsonLine(), UTF_8)
                        + new String(entry("two").toJsonLine(), UTF_8);
        Fuzz.of("page log", List.of(whole, whole + whole), WORDS)
                .run(
                        (input, _) -> {
                            try {
                                assertThat(read(input)).doesNotContainNull();
                            } catch (IOException refused) {
                                assertThat(refused.getMessage()).startsWith("the page log ");
                            }
                        });
    }

    private List<PageLogEntry> read(byte[] log) throws IOException {
        var entries = new ArrayList<PageLogEntry>();
        PageLog.read(Files.write(directory.resolve("pages.log"), log), entries::add);
        return entries;
    }

    private static PageLogEntry entry(String text) {
        return PageLogEntry.of(7, "http://a.test/x", Kind.PAGE)
                .status(200)
                .time(Captures.TIME)
                .milliseconds(70)
                .depth(2)
                .parent(1)
                .mediaType(text)
                .charset("UTF-8")
                .title(text)
                .links(3)
                .simHash(-500)
                .minHash("AAEC")
                .bytes(500)
                .digest("sha1:X")
                .location(text)
                .detail(text)
                .stored(new WarcLocation("warc/a.warc.gz", 1_234, 99))
                .linksDeferred(true)
                .directives(text)
                .original(new WarcLocation(text, 7, 8))
                .build();
    }
}
