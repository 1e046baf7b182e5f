package dev.orbweaver.internal.fetch;

import dev.orbweaver.internal.disk.SpillBuffer;
import dev.orbweaver.internal.fetch.ResponseReader.BadResponseException;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.spi.Fetcher;
import dev.orbweaver.testing.Fuzz;

import io.netty.buffer.Unpooled;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Malformed responses that the fetcher accepts, for tests of the components after it. */
public final class MalformedResponses {

    private static final String OK = "HTTP/1.1 200 OK\r\n";
    private static final String CHUNKED = OK + "Transfer-Encoding: chunked\r\n\r\n";

    /** Valid responses of every kind. */
    private static final List<String> SAMPLES =
            List.of(
                    OK + "Content-Length: 5\r\nContent-Type: text/html; charset=utf-8\r\n\r\nhello",
                    OK + "Content-Type: text/plain\r\n\r\nuntil the end",
                    CHUNKED + "5\r\nhello\r\n6;x=\"y\"\r\n world\r\n0\r\n\r\n",
                    CHUNKED + "2\r\nab\r\n0\r\nTrailer: x\r\n\r\n",
                    "HTTP/1.0 404 Gone\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nold",
                    "HTTP/1.1 204 No Content\r\n\r\n",
                    "HTTP/1.1 304 Not Modified\r\nContent-Length: 999\r\nETag: \"x\"\r\n\r\n",
                    "HTTP/1.1 301 \r\nLocation: /there\r\nContent-Length: 0\r\n\r\n",
                    "HTTP/1.1 100 Continue\r\n\r\n" + OK + "Content-Length: 1\r\n\r\nx",
                    OK + "X-Folded: a\r\n\tb\r\nSet-Cookie: a=b\nContent-Length: 1\n\nx");

    /** Fragments with a meaning in a response. */
    private static final String[] FRAGMENTS = {
        "\r\n",
        "\n",
        "\r",
        "\r\n\r\n",
        ": ",
        ";",
        ",",
        " ",
        "\t",
        "0",
        "00",
        "1",
        "ff",
        "7fffffff",
        "-1",
        "99999999999999999999",
        "0x5",
        "chunked",
        "Transfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "Content-Length: 5\r\n",
        "Content-Length: 5, 5\r\n",
        "Connection: close\r\n",
        "Connection: keep-alive\r\n",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.0",
        "HTTP/2",
        "204",
        "304",
        "199",
        "0\r\n\r\n",
        "é",
        "\u0000",
        "X:",
        ":",
        "WARC/1.1\r\n",
        "Location: ",
        "X-Long: aaaaaaaaaaaaaaaaaaaaaaaa"
    };

    private static final int HEAD_MAX = 4_096;

    private MalformedResponses() {}

    /** Creates a fuzzer of responses for the parser with this name. */
    public static Fuzz fuzz(String parser) {
        return Fuzz.of(parser, SAMPLES, FRAGMENTS);
    }

    /** A response as the fetcher would pass it on. */
    public record ParsedResponse(ResponseHead head, Body body) {}

    /** Parses the response; empty if the fetcher would reject it. */
    public static Optional<ParsedResponse> read(byte[] bytes, Path temporary) throws IOException {
        try (var buffer = new SpillBuffer(temporary)) {
            var reader =
                    new ResponseReader(
                            HEAD_MAX, Long.MAX_VALUE, buffer, Fetcher.HeadFilter.ACCEPT_ALL);
            reader.read(Unpooled.wrappedBuffer(bytes));
            if (!reader.isDone()) {
                reader.onClosed();
            }
            return Optional.of(new ParsedResponse(reader.head(), reader.body()));
        } catch (BadResponseException notTaken) {
            return Optional.empty();
        }
    }
}
