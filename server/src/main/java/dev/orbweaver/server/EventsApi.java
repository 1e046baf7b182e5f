package dev.orbweaver.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.OptionalLong;

/**
 * Streams a job's events, each client on its own virtual thread. Events that are queued together
 * are sent together: a thousand clients then cost little more than one.
 */
final class EventsApi {

    private static final long BATCH_MILLIS = 200;

    private final JobEventFeeds jobEventFeeds;
    private final JobsApi jobsApi;
    private final AccessControl accessControl;
    private final ConcurrencyLimiter concurrencyLimiter;
    private final long heartbeatMillis;

    EventsApi(
            JobEventFeeds jobEventFeeds,
            JobsApi jobs,
            AccessControl accessControl,
            int clientsMax,
            long heartbeatMillis) {
        this.accessControl = accessControl;
        this.jobEventFeeds = jobEventFeeds;
        this.jobsApi = jobs;
        this.concurrencyLimiter =
                new ConcurrencyLimiter(
                        clientsMax,
                        Math.max(1, clientsMax / 2),
                        "The limit of event subscribers, in total or for this caller, is reached.");
        this.heartbeatMillis = heartbeatMillis;
    }

    void listen(ApiCall apiCall) throws Exception {
        var job = jobsApi.job(apiCall);
        var from = lastEventId(apiCall);
        var context = apiCall.context();
        context.header("Cache-Control", "no-store").header("X-Accel-Buffering", "no");
        context.contentType("text/event-stream; charset=utf-8");
        if (context.method().name().equals("HEAD")) {
            return;
        }
        try (var _ = concurrencyLimiter.acquire(apiCall)) {
            var feed = jobEventFeeds.getOrOpen(job);
            var subscription = feed.subscribe(job);
            try {
                var out = new ResponseStream(context.res().getOutputStream());
                out.write(": connected\nretry: 2000\n\n".getBytes(UTF_8));
                if (from.isPresent()) {
                    feed.replay(from.getAsLong(), subscription, event -> out.write(event.bytes()));
                }
                out.flush();
                send(apiCall, subscription.subscriber(), out);
            } finally {
                feed.hub().unsubscribe(subscription.subscriber());
            }
        } catch (ClientDisconnectedException e) {
            // The normal end of a stream. Other exceptions are errors.
        }
    }

    /** Sends events until the last one, or until the token of the call is revoked. */
    private void send(ApiCall apiCall, EventHub.Subscriber subscriber, ResponseStream out)
            throws ClientDisconnectedException, InterruptedException {
        var checked = System.nanoTime();
        while (true) {
            var events = subscriber.next(heartbeatMillis);
            if (System.nanoTime() - checked >= MILLISECONDS.toNanos(heartbeatMillis)) {
                if (!accessControl.isStillValid(apiCall)) {
                    return;
                }
                checked = System.nanoTime();
            }
            if (events.isEmpty()) {
                out.write(": beat\n\n".getBytes(UTF_8));
            }
            for (var event : events) {
                if (event.isEnd()) {
                    return;
                }
                out.write(event.bytes());
            }
            out.flush();
            Thread.sleep(BATCH_MILLIS);
        }
    }

    static OptionalLong lastEventId(ApiCall apiCall) {
        var text = apiCall.header("Last-Event-ID").or(() -> apiCall.query("lastEventId"));
        if (text.isEmpty() || text.get().isBlank()) {
            return OptionalLong.empty();
        }
        if (!text.get().matches("\\d{1,18}")) {
            throw ProblemException.inField(
                    "Last-Event-ID", "Last-Event-ID must be the id of an event.");
        }
        return OptionalLong.of(Long.parseLong(text.get()));
    }
}
