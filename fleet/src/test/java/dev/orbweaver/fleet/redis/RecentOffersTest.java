package dev.orbweaver.fleet.redis;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.US_ASCII;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** What a worker keeps to offer again to a server that forgot it. */
class RecentOffersTest {

    private static final int SHARD = 3;

    private final RecentOffers offers = new RecentOffers();

    /** One call with URLs of a length, without counters. */
    private static List<byte[]> call(int urls, int length) {
        var args = new ArrayList<byte[]>();
        args.add("0".getBytes(US_ASCII));
        for (var i = 0; i < urls; i++) {
            args.add("o".getBytes(US_ASCII));
            args.add(new byte[length]);
            args.addAll(java.util.Collections.nCopies(7, new byte[1]));
        }
        return args;
    }

    private long kept() {
        return offers.callsToReplay(SHARD, 0).stream()
                .flatMap(List::stream)
                .mapToLong(arg -> arg.length)
                .sum();
    }

    @Test
    void ordinaryUrlsAreKeptForAMinute() {
        offers.add(SHARD, call(100, 60), 0);
        offers.add(SHARD, call(100, 60), 60_000);
        assertThat(offers.callsToReplay(SHARD, 0)).hasSize(2);
        offers.add(SHARD, call(1, 60), 60_001);
        assertThat(offers.callsToReplay(SHARD, 0)).hasSize(2);
    }

    @Test
    void longUrlsAreKeptAsFarAsThereIsRoom() {
        for (var i = 0; i < 100; i++) {
            offers.add(SHARD, call(100, 8_192), i);
        }
        assertThat(kept()).isBetween(30L << 20, 32L << 20);
    }

    @Test
    void oneCallThatIsTooLargeIsNotKept() {
        offers.add(SHARD, call(5_000, 8_192), 0);
        assertThat(offers.callsToReplay(SHARD, 0)).isEmpty();
    }
}
