package dev.orbweaver.internal.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.internal.fetch.ResponseReads.ReadResult;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Random;

class ResponseMutationTest {

    @Test
    void anAnswerIsReadOrRefusedByNameTheSameHoweverItIsCut() {
        MalformedResponses.fuzz("http").run(this::check);
    }

    private void check(byte[] input, Random random) throws Exception {
        var answer = new String(input, ISO_8859_1);
        var limit = new long[] {0, 4, 1_000, Long.MAX_VALUE}[random.nextInt(4)];
        var whole = ResponseReads.read(answer, limit, input.length);
        if (!whole.outcome().equals("ok")) {
            assertThat(whole.reusable()).isFalse();
        }
        if (whole.reusable()) {
            var more = ResponseReads.read(answer + "x", limit, input.length + 1);
            assertThat(more.reusable()).as("with an extra byte after the response").isFalse();
        }
        for (var way = 0; way < 3; way++) {
            var ends = random.ints(random.nextInt(6), 0, input.length + 1).sorted().toArray();
            var pieces = Arrays.copyOf(ends, ends.length + 1);
            pieces[ends.length] = input.length;
            assertThat(comparable(ResponseReads.read(answer, limit, pieces)))
                    .as("cut at %s", Arrays.toString(ends))
                    .isEqualTo(comparable(whole));
        }
        var bytewise = ResponseReads.read(answer, limit, ResponseReads.everySplit(answer));
        assertThat(comparable(bytewise)).as("byte by byte").isEqualTo(comparable(whole));
    }

    /** Trailing bytes are only detected if they arrive together with the end. */
    private static ReadResult comparable(ReadResult readResult) {
        return new ReadResult(
                readResult.outcome(),
                readResult.status(),
                readResult.body(),
                readResult.truncated(),
                false);
    }
}
