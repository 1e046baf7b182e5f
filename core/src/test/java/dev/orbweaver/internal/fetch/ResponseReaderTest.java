package dev.orbweaver.internal.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.fetch.ResponseReads.ReadResult;
import dev.orbweaver.testing.Vectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class ResponseReaderTest {

    private static final String OK = "HTTP/1.1 200 OK\r\n";
    private static final String CHUNKED = OK + "Transfer-Encoding: chunked\r\n\r\n";

    /** Valid responses of every kind, each with its expected body. */
    private static final List<String> VALID =
            List.of(
                    OK + "Content-Length: 5\r\n\r\nhello",
                    OK + "Content-Length: 0\r\n\r\n",
                    OK + "content-length:5\r\nX: y\r\n\r\nhello",
                    "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nab",
                    "HTTP/1.1 200 \nContent-Length: 2\n\nab",
                    CHUNKED + "5\r\nhello\r\n6 ; a=\"b\"\r\n world\r\n0\r\n\r\n",
                    CHUNKED + "00A\r\n0123456789\r\n0;last\r\nX-Sum: 1\r\nX-Other: 2\r\n\r\n",
                    CHUNKED + "2\nab\n0\n\n",
                    OK + "\r\nuntil the end",
                    OK + "Connection: close\r\n\r\n",
                    "HTTP/1.0 200 OK\r\nServer: old\r\n\r\nold page",
                    "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 3\r\n\r\nold",
                    "HTTP/1.1 204 No Content\r\nX: y\r\n\r\n",
                    "HTTP/1.1 304 Not Modified\r\nContent-Length: 999\r\nETag: \"x\"\r\n\r\n",
                    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"
                            + OK
                            + "Content-Length: 1\r\n\r\nx",
                    OK + "X-Folded: a\r\n\tb\r\nContent-Length: 1\r\n\r\nx");

    private static final List<String> BODIES =
            List.of(
                    "hello",
                    "",
                    "hello",
                    "ab",
                    "ab",
                    "hello world",
                    "0123456789",
                    "ab",
                    "until the end",
                    "",
                    "old page",
                    "old",
                    "",
                    "",
                    "x",
                    "x");

    @Test
    void everyKindOfAnswerGivesItsBody() throws IOException {
        for (var i = 0; i < VALID.size(); i++) {
            var readResult = ResponseReads.readWhole(VALID.get(i));
            assertThat(readResult.outcome()).as(VALID.get(i)).isEqualTo("ok");
            assertThat(readResult.body()).as(VALID.get(i)).isEqualTo(BODIES.get(i));
            assertThat(readResult.truncated()).isFalse();
        }
    }

    @Test
    void itMakesNoDifferenceHowTheBytesAreSplit() throws IOException {
        for (var answer : VALID) {
            var expected = ResponseReads.readWhole(answer);
            assertThat(ResponseReads.read(answer, Long.MAX_VALUE, ResponseReads.everySplit(answer)))
                    .as("byte by byte: %s", answer)
                    .isEqualTo(expected);
            for (var at = 1; at < answer.length(); at++) {
                assertThat(ResponseReads.read(answer, Long.MAX_VALUE, at, answer.length()))
                        .as("split at %d: %s", at, answer)
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void anAnswerThatBreaksOffIsADisconnectUnlessItEndsByClosing() throws IOException {
        for (var answer : VALID) {
            var whole = ResponseReads.readWhole(answer);
            var endsByClosing = answer.contains("until the end") || answer.contains("old page");
            for (var at = 0; at < answer.length(); at++) {
                var readResult = ResponseReads.readWhole(answer.substring(0, at));
                var headDone = answer.substring(0, at).contains("\r\n\r\n");
                var expected = endsByClosing && headDone ? "ok" : "disconnect";
                assertThat(readResult.outcome())
                        .as("cut at %d: %s", at, answer)
                        .isEqualTo(expected);
                assertThat(readResult.reusable()).isFalse();
            }
            assertThat(whole.outcome()).isEqualTo("ok");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", // An empty line first.
                "garbage",
                "<html>no head at all</html>",
                "HTTP/2 200 OK",
                "HTTP/1.1",
                "HTTP/1.1  200 OK",
                "HTTP/1.1 20 OK",
                "HTTP/1.1 2000 OK",
                "HTTP/1.1 099 OK",
                "HTTP/1.1 -20 OK",
                "HTTP/1.1 2x0 OK",
                "http/1.1 200 OK",
                "HTTP/1,1 200 OK",
                "HTTP/1.x 200 OK",
                " HTTP/1.1 200 OK",
                "ICY 200 OK and so on",
                "HTTP/1.1 101 Switching Protocols",
                "HTTP/1.1 200 N\u0000UL"
            })
    void aStatusLineThatIsNoneIsMalformed(String line) throws IOException {
        assertMalformed(line + "\r\nContent-Length: 0\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no colon here",
                "Content-Length",
                "Space : before the colon",
                "Two words: x",
                "Contr\u0001l: x",
                "D\u007Flete: x",
                "Umlaut\u00E4: x",
                "X: a\u0000b",
                "X\r: y",
                " leading: white space before the first header",
                "Content-Length: 1\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: chunked\r\nContent-Length: nonsense",
                "Content-Length: 1\r\nContent-Length: 2",
                "Content-Length: 1, 2",
                "Content-Length: 1,",
                "Content-Length: 1, 01",
                "Content-Length: 1\r\nContent-Length: x",
                "Transfer-Encoding: gzip",
                "Transfer-Encoding: gzip, chunked",
                "Transfer-Encoding: chunked, chunked",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: xchunked",
                "Transfer-Encoding: identity",
                "Transfer-Encoding:",
            })
    void headersOnWhichReadersCouldDisagreeAreMalformed(String fields) throws IOException {
        assertMalformed(OK + fields + "\r\n\r\n0\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\r\n",
                " 2\r\nab\r\n",
                "-2\r\nab\r\n",
                "+2\r\nab\r\n",
                "0x2\r\nab\r\n",
                "2 2\r\nab\r\n",
                "2\r\r\nab\r\n",
                "g\r\nab\r\n",
                ";x\r\nab\r\n",
                "\uFF12\r\nab\r\n",
                "fffffffffffffffff\r\nab\r\n",
                "8000000000000000\r\nab\r\n",
                "2\r\nabc\r\n",
                "2\r\nab0\r\n\r\n",
                "2\r\nab\rx\n",
                "2\r\nab\r\r\n"
            })
    void oddChunksAreMalformed(String chunks) throws IOException {
        assertMalformed(CHUNKED + chunks + "0\r\n\r\n");
    }

    @Test
    void aChunkTooLongIsKnownAtItsFirstByteTooMany() throws IOException {
        assertThat(ResponseReads.readWhole(CHUNKED + "2\r\nabc").outcome()).isEqualTo("malformed");
    }

    private static void assertMalformed(String answer) throws IOException {
        var expected = new ReadResult("malformed", 0, "", false, false);
        assertThat(ResponseReads.readWhole(answer)).isEqualTo(expected);
        assertThat(ResponseReads.read(answer, 10, ResponseReads.everySplit(answer)))
                .isEqualTo(expected);
    }

    @Test
    void aLengthThatIsNoNumberIsAsGoodAsNone() throws IOException {
        for (var length : List.of("-1", "abc", "5x", "0x5", "", "5.0", "abc, abc", "\"5\"")) {
            var readResult =
                    ResponseReads.readWhole(OK + "Content-Length: " + length + "\r\n\r\nall of it");
            assertThat(readResult)
                    .as(length)
                    .isEqualTo(new ReadResult("ok", 200, "all of it", false, false));
        }
    }

    @Test
    void aLengthBeyondAllNumbersIsCutLikeAnyOther() throws IOException {
        var answer = OK + "Content-Length: 99999999999999999999999\r\n\r\nabcdef";
        assertThat(ResponseReads.readLimited(answer, 3))
                .isEqualTo(new ReadResult("ok", 200, "abc", true, false));
        assertThat(ResponseReads.readWhole(answer).outcome()).isEqualTo("disconnect");
    }

    @Test
    void leadingZerosDoNotMakeALengthLonger() throws IOException {
        var answer = OK + "Content-Length: " + "0".repeat(40) + "5\r\n\r\nhello";
        assertThat(ResponseReads.readWhole(answer).body()).isEqualTo("hello");
    }

    @Test
    void aHeadOverTheLimitIsGivenUpAndOneAtTheLimitIsNot() throws IOException {
        var rest = "\r\n\r\n";
        var start = OK + "Content-Length: 0\r\nX: ";
        var room = ResponseReads.HEAD_MAX - start.length() - rest.length();
        assertThat(ResponseReads.readWhole(start + "x".repeat(room) + rest).outcome())
                .isEqualTo("ok");
        assertThat(ResponseReads.readWhole(start + "x".repeat(room + 1) + rest).outcome())
                .isEqualTo("limit");
        assertThat(ResponseReads.readWhole(OK + "A: b\r\n".repeat(10_000)).outcome())
                .isEqualTo("limit");
        assertThat(ResponseReads.readWhole("x".repeat(10_000)).outcome()).isEqualTo("limit");
    }

    @Test
    void chunkLinesAndTrailersHaveLimitsToo() throws IOException {
        assertThat(ResponseReads.readWhole(CHUNKED + "1;" + "x".repeat(9_000)).outcome())
                .isEqualTo("limit");
        assertThat(ResponseReads.readWhole(CHUNKED + "0\r\n" + "A: b\r\n".repeat(2_000)).outcome())
                .isEqualTo("limit");
    }

    @Test
    void interimAnswersEndSomewhere() throws IOException {
        var interim = "HTTP/1.1 102 Processing\r\n\r\n";
        var last = OK + "Content-Length: 0\r\n\r\n";
        assertThat(ResponseReads.readWhole(interim.repeat(10) + last).outcome()).isEqualTo("ok");
        assertThat(ResponseReads.readWhole(interim.repeat(11) + last).outcome())
                .isEqualTo("malformed");
    }

    @Test
    void anInterimAnswerIsHeldToTheSameRules() throws IOException {
        assertMalformed("HTTP/1.1 100 Continue\r\nno colon\r\n\r\n" + VALID.getFirst());
    }

    @Test
    void aBodyAsLongAsTheLimitIsWholeAndOneByteMoreIsCut() throws IOException {
        for (var answer : VALID) {
            var whole = ResponseReads.readWhole(answer);
            var length = whole.body().length();
            for (var ends :
                    List.of(new int[] {answer.length()}, ResponseReads.everySplit(answer))) {
                assertThat(ResponseReads.read(answer, length, ends)).as(answer).isEqualTo(whole);
                for (var limit = 0; limit < length; limit++) {
                    var cut = whole.body().substring(0, limit);
                    assertThat(ResponseReads.read(answer, limit, ends))
                            .as("limit %d: %s", limit, answer)
                            .isEqualTo(new ReadResult("ok", whole.status(), cut, true, false));
                }
            }
        }
    }

    @Test
    void aConnectionIsReusableOnlyWhereBothSidesKnowItIs() throws IOException {
        var body = "Content-Length: 0\r\n\r\n";
        assertThat(ResponseReads.readWhole(OK + body).reusable()).isTrue();
        assertThat(
                        ResponseReads.readWhole(OK + "Connection: x-close, keep-alive\r\n" + body)
                                .reusable())
                .isTrue();
        assertThat(ResponseReads.readWhole(OK + "Connection: Close\r\n" + body).reusable())
                .isFalse();
        assertThat(
                        ResponseReads.readWhole(OK + "Connection: keep-alive, close\r\n" + body)
                                .reusable())
                .isFalse();
        assertThat(
                        ResponseReads.readWhole(
                                        OK + "Connection: a\r\nconnection: close\r\n" + body)
                                .reusable())
                .isFalse();
        var old = "HTTP/1.0 200 OK\r\n";
        assertThat(ResponseReads.readWhole(old + body).reusable()).isFalse();
        assertThat(ResponseReads.readWhole(old + "Connection: keep-alive\r\n" + body).reusable())
                .isTrue();
        assertThat(
                        ResponseReads.readWhole(old + "Connection: keep-alive, close\r\n" + body)
                                .reusable())
                .isFalse();
        assertThat(ResponseReads.readWhole(OK + "\r\nuntil close").reusable()).isFalse();
        assertThat(ResponseReads.readWhole(CHUNKED + "0\r\n\r\n").reusable()).isTrue();
    }

    @Test
    void aChunkedAnswerOfAnOldServerIsReadButItsConnectionIsNotUsedAgain() throws IOException {
        var old = CHUNKED.replace("HTTP/1.1 200 OK", "HTTP/1.0 200 OK\r\nConnection: keep-alive");
        var answer = old + "1\r\nx\r\n0\r\n\r\n";
        assertThat(ResponseReads.readWhole(answer))
                .isEqualTo(new ReadResult("ok", 200, "x", false, false));
    }

    @Test
    void aNoContentThatSpeaksOfABodyMakesTheConnectionUnusable() throws IOException {
        var start = "HTTP/1.1 204 No Content\r\n";
        assertThat(ResponseReads.readWhole(start + "Content-Length: 0\r\n\r\n").reusable())
                .isTrue();
        assertThat(ResponseReads.readWhole(start + "Content-Length: 5\r\n\r\n").reusable())
                .isFalse();
        assertThat(ResponseReads.readWhole(start + "Transfer-Encoding: chunked\r\n\r\n").reusable())
                .isFalse();
    }

    @Test
    void bytesBehindTheEndMakeTheConnectionUnusable() throws IOException {
        for (var answer : VALID) {
            if (ResponseReads.readWhole(answer).reusable()) {
                var readResult =
                        ResponseReads.readWhole(answer + "HTTP/1.1 200 OK\r\n\r\nsmuggled");
                assertThat(readResult.outcome()).isEqualTo("ok");
                assertThat(readResult.body()).doesNotContain("smuggled");
                assertThat(readResult.reusable()).as(answer).isFalse();
            }
        }
    }

    @Test
    void mutatedAnswersGiveAnAnswerOrANamedFailureHoweverTheyAreSplit() throws IOException {
        var seed = 20_260_105L;
        var random = new Random(seed);
        for (var round = 0; round < 40_000; round++) {
            var answer = mutated(VALID.get(random.nextInt(VALID.size())), random);
            var limit = random.nextBoolean() ? 4 : 1_000;
            var what = "seed " + seed + " round " + round + ": " + answer;
            var whole = read(answer, limit, what, answer.length());
            var at = random.nextInt(answer.length() + 1);
            var split = read(answer, limit, what, at, answer.length());
            // Trailing bytes are only detected if they arrive together with the end.
            assertThat(split.outcome()).as(what).isEqualTo(whole.outcome());
            assertThat(split.body()).as(what).isEqualTo(whole.body());
            assertThat(split.truncated()).as(what).isEqualTo(whole.truncated());
        }
    }

    private static ReadResult read(String answer, long limit, String what, int... ends)
            throws IOException {
        try {
            return ResponseReads.read(answer, limit, ends);
        } catch (RuntimeException e) {
            throw new AssertionError(what, e);
        }
    }

    private static String mutated(String answer, Random random) {
        var text = new StringBuilder(answer);
        for (var change = random.nextInt(4); change >= 0; change--) {
            var at = random.nextInt(text.length() + 1);
            var end = Math.min(text.length(), at + random.nextInt(6));
            switch (random.nextInt(5)) {
                case 0 -> text.delete(at, end);
                case 1 -> text.insert(at, (char) random.nextInt(256));
                case 2 -> text.insert(at, text.substring(at, end));
                case 3 -> text.insert(at, "0123456789abcdef\r\n;, :-".charAt(random.nextInt(23)));
                default -> text.replace(at, end, random.nextBoolean() ? "\r\n" : "\n");
            }
        }
        return text.toString();
    }

    @Test
    void contentLengthsAreReadAsBrowsersReadThem() throws IOException {
        var failures = new ArrayList<String>();
        for (var vector : Vectors.json("http-headers/content-lengths.json")) {
            var input = vector.get("input").asString();
            var readResult = ResponseReads.readWhole(OK + input + "\r\n\r\n" + "x".repeat(42));
            var got = readResult.outcome().equals("ok") ? readResult.body().length() : -1;
            var wanted = vector.get("output").isNull() ? -1 : vector.get("output").asInt();
            if (got != wanted) {
                failures.add(input + " gave " + got + ", not " + wanted);
            }
        }
        assertThat(failures).isEmpty();
    }
}
