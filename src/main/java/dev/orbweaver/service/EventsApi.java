package dev.orbweaver.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.OptionalLong;

/**
 * A job's events as they come, each client on a virtual thread of its own. What comes in quick
 * succession is sent together: a thousand clients then cost little more than one.
 */
final class EventsApi {

    private static final long TOGETHER_MILLIS = 200;

    private final Feeds feeds;
    private final JobsApi jobs;
    private final Seats seats;
    private final long heartbeatMillis;

    EventsApi(Feeds feeds, JobsApi jobs, int clientsMax, long heartbeatMillis) {
        this.feeds = feeds;
        this.jobs = jobs;
        this.seats =
                new Seats(
                        clientsMax,
                        Math.max(1, clientsMax / 2),
                        "As many clients listen as the service allows, in all or for this caller.");
        this.heartbeatMillis = heartbeatMillis;
    }

    void listen(Call call) throws Exception {
        var job = jobs.job(call);
        var from = lastEventId(call);
        var context = call.context();
        context.header("Cache-Control", "no-store").header("X-Accel-Buffering", "no");
        context.contentType("text/event-stream; charset=utf-8");
        if (context.method().name().equals("HEAD")) {
            return;
        }
        try (var _ = seats.take(call)) {
            var feed = feeds.of(job);
            var joined = feed.join(job);
            try {
                var out = new Outgoing(context.res().getOutputStream());
                out.write(": connected\nretry: 2000\n\n".getBytes(UTF_8));
                if (from.isPresent()) {
                    feed.replay(from.getAsLong(), joined, event -> out.write(event.bytes()));
                }
                out.flush();
                send(joined.ear(), out);
            } finally {
                feed.hub().leave(joined.ear());
            }
        } catch (ClientGoneException e) {
            // That is how all of this ends. Whatever else fails is a failure.
        }
    }

    private void send(EventHub.Ear ear, Outgoing out)
            throws ClientGoneException, InterruptedException {
        while (true) {
            var events = ear.next(heartbeatMillis);
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
            Thread.sleep(TOGETHER_MILLIS);
        }
    }

    private static OptionalLong lastEventId(Call call) {
        var text = call.header("Last-Event-ID").or(() -> call.query("lastEventId"));
        if (text.isEmpty() || text.get().isBlank()) {
            return OptionalLong.empty();
        }
        if (!text.get().matches("\\d{1,18}")) {
            throw ProblemException.in("Last-Event-ID", "Last-Event-ID takes an event's number.");
        }
        return OptionalLong.of(Long.parseLong(text.get()));
    }
}
