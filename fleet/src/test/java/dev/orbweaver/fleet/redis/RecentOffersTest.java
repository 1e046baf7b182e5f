package dev.orbweaver.fleet.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.fleet.redis.OfferRequest.OfferedUrl;
import dev.orbweaver.fleet.redis.ScriptConstants.OfferMode;
import dev.orbweaver.internal.frontier.AcceptedUrl;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Hop;

import org.junit.jupiter.api.Test;

import java.util.Collections;
import java.util.List;

/** The offers that a worker stores to repeat them to a server that lost them. */
class RecentOffersTest {

    private static final int SHARD = 3;

    private final RecentOffers offers = new RecentOffers();

    /** Returns one call with URLs of a length. */
    private static OfferRequest call(int urls, int length) {
        var key = new Fingerprint(1, (short) 1);
        var url = new CrawlUrl("http://a.example/" + "u".repeat(length - 17), "a.example", key);
        var state =
                new QueuedUrl(
                        new AcceptedUrl(0, url, Hop.LINK, 1, 0, CaptureRef.NONE, 0, 0),
                        false,
                        0,
                        0,
                        0);
        var offered = new OfferedUrl(OfferMode.OFFER, state, 0, 0);
        return new OfferRequest(SHARD, List.of(), Collections.nCopies(urls, offered));
    }

    private long kept() {
        return offers.callsToReplay(SHARD, 0).stream()
                .flatMap(call -> call.urls().stream())
                .mapToLong(url -> url.url().url().url().text().length())
                .sum();
    }

    @Test
    void ordinaryUrlsAreKeptForAMinute() {
        offers.add(call(100, 60), 0);
        offers.add(call(100, 60), 60_000);
        assertThat(offers.callsToReplay(SHARD, 0)).hasSize(2);
        offers.add(call(1, 60), 60_001);
        assertThat(offers.callsToReplay(SHARD, 0)).hasSize(2);
    }

    @Test
    void longUrlsAreKeptAsFarAsThereIsRoom() {
        for (var i = 0; i < 100; i++) {
            offers.add(call(100, 8_192), i);
        }
        assertThat(kept()).isBetween(30L << 20, 32L << 20);
    }

    @Test
    void oneCallThatIsTooLargeIsNotKept() {
        offers.add(call(5_000, 8_192), 0);
        assertThat(offers.callsToReplay(SHARD, 0)).isEmpty();
    }
}
