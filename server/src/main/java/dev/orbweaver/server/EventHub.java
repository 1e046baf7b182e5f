package dev.orbweaver.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import tools.jackson.databind.json.JsonMapper;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Publishes a job's events to all subscribers. An event is encoded once. A subscriber that does not
 * keep up has to reconnect and does not delay the others.
 */
final class EventHub {

    private static final int QUEUE_CAPACITY = 512;

    /** An encoded event. */
    // Never compared, so the array component is safe.
    @SuppressWarnings("ArrayRecordComponent")
    record Event(byte[] bytes) {

        static final Event RESET = of("reset", OptionalLong.empty(), Map.of());

        /** The last event. */
        static final Event END = new Event(new byte[0]);

        boolean isEnd() {
            return bytes.length == 0;
        }

        static Event of(String type, OptionalLong id, Object data) {
            var idLine = id.isPresent() ? "id: " + id.getAsLong() + "\n" : "";
            var json = JsonMapper.shared().writeValueAsString(data);
            var text = "%sevent: %s\ndata: %s\n\n".formatted(idLine, type, json);
            return new Event(text.getBytes(UTF_8));
        }
    }

    static final class Subscriber {
        private final BlockingQueue<Event> queue = new ArrayBlockingQueue<>(QUEUE_CAPACITY);

        private void enqueue(Event event) {
            if (!queue.offer(event)) {
                queue.clear();
                var _ = queue.offer(Event.RESET);
                if (event.isEnd()) {
                    var _ = queue.offer(event); // Never wait for a subscriber.
                }
            }
        }

        /** Waits for the next event and returns all that are queued. */
        List<Event> next(long millis) throws InterruptedException {
            var events = new ArrayList<Event>();
            var first = queue.poll(millis, TimeUnit.MILLISECONDS);
            if (first != null) {
                events.add(first);
                queue.drainTo(events);
            }
            return events;
        }
    }

    private final Set<Subscriber> subscribers = ConcurrentHashMap.newKeySet();

    Subscriber subscribe() {
        var subscriber = new Subscriber();
        subscribers.add(subscriber);
        return subscriber;
    }

    void unsubscribe(Subscriber subscriber) {
        subscribers.remove(subscriber);
    }

    boolean hasSubscribers() {
        return !subscribers.isEmpty();
    }

    int subscriberCount() {
        return subscribers.size();
    }

    void publish(Event event) {
        subscribers.forEach(subscriber -> subscriber.enqueue(event));
    }
}
