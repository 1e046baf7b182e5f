package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.server.EventHub.Event;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Tests the delivery of events to subscribers. */
@Timeout(60)
class EventHubTest {

    private static Event event(int number) {
        return Event.of("page", OptionalLong.of(number), Map.of("n", number));
    }

    private static List<String> received(EventHub.Subscriber subscriber)
            throws InterruptedException {
        return subscriber.next(0).stream().map(each -> new String(each.bytes(), UTF_8)).toList();
    }

    @Test
    void anEventIsWrittenAsTheStandardSays() {
        assertThat(new String(event(7).bytes(), UTF_8))
                .isEqualTo("id: 7\nevent: page\ndata: {\"n\":7}\n\n");
    }

    @Test
    void aSlowSubscriberIsResetAndBlocksNoOther() throws Exception {
        var hub = new EventHub();
        var slow = hub.subscribe();
        var quick = hub.subscribe();
        for (var i = 0; i < 100_000; i++) {
            hub.publish(event(i));
            assertThat(received(quick)).hasSize(1);
        }
        var kept = received(slow);
        assertThat(kept).hasSizeLessThan(1_000);
        assertThat(kept.getFirst()).startsWith("event: reset\n");
        assertThat(kept.getLast()).startsWith("id: 99999\n");
    }

    @Test
    void theEndReachesASlowSubscriber() throws Exception {
        for (var before = 0; before < 1_200; before += 1) {
            var hub = new EventHub();
            var subscriber = hub.subscribe();
            for (var i = 0; i < before; i++) {
                hub.publish(event(i));
            }
            hub.publish(Event.END);
            assertThat(subscriber.next(0).getLast().isEnd()).as("after %d events", before).isTrue();
        }
    }

    @Test
    void anUnsubscribedClientReceivesNothing() throws Exception {
        var hub = new EventHub();
        var subscriber = hub.subscribe();
        assertThat(hub.hasSubscribers()).isTrue();
        hub.unsubscribe(subscriber);
        hub.publish(event(1));
        assertThat(hub.hasSubscribers()).isFalse();
        assertThat(received(subscriber)).isEmpty();
    }
}
