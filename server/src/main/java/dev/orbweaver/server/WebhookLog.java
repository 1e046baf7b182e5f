package dev.orbweaver.server;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonValue;

import tools.jackson.databind.json.JsonMapper;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The messages to the webhook of a job: those that wait, and the newest that were sent.
 *
 * @param changes the number of changes of the job's state that have become messages
 * @param pages the number of times that {@code everyPages} was reached
 * @param deliveries the oldest first
 */
record WebhookLog(long changes, long pages, List<Delivery> deliveries) {

    static final int DELIVERIES_MAX = 50;
    static final WebhookLog NEW = new WebhookLog(0, 0, List.of());

    enum State {
        PENDING,
        DELIVERED,
        /** It was given up after the last attempt. */
        FAILED;

        @JsonValue
        String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A message.
     *
     * @param body absent for changes of pages, which are sent again from their own record
     * @param status of the last response
     * @param error why there was no response to the last attempt
     * @param nextAttempt absent if none follows
     */
    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    record Delivery(
            String id,
            String event,
            Instant created,
            State state,
            int attempts,
            Optional<Instant> lastAttempt,
            Optional<Integer> status,
            Optional<String> error,
            Optional<Instant> nextAttempt,
            Optional<String> body) {

        static Delivery pending(String id, String event, Instant now, String body) {
            return new Delivery(
                    id,
                    event,
                    now,
                    State.PENDING,
                    0,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(now),
                    Optional.of(body));
        }

        boolean isDue(Instant now) {
            return nextAttempt.filter(at -> !at.isAfter(now)).isPresent();
        }

        /** Returns it after an attempt, of which {@code next} is the following one. */
        Delivery attempted(Attempt attempt, Instant now, Optional<Instant> next) {
            var after =
                    attempt.isConfirmed()
                            ? State.DELIVERED
                            : next.isPresent() ? State.PENDING : State.FAILED;
            return new Delivery(
                    id,
                    event,
                    created,
                    after,
                    attempts + 1,
                    Optional.of(now),
                    attempt.status(),
                    attempt.error(),
                    attempt.isConfirmed() ? Optional.empty() : next,
                    body);
        }

        Delivery withoutBody() {
            return new Delivery(
                    id,
                    event,
                    created,
                    state,
                    attempts,
                    lastAttempt,
                    status,
                    error,
                    Optional.empty(),
                    Optional.empty());
        }

        /** Returns it as a message that is sent once more, with as many attempts as a new one. */
        Delivery again(Instant now) {
            return new Delivery(
                    id,
                    event,
                    created,
                    State.PENDING,
                    0,
                    lastAttempt,
                    status,
                    error,
                    Optional.of(now),
                    body);
        }
    }

    /** The result of an attempt: a status, or an error. */
    record Attempt(Optional<Integer> status, Optional<String> error) {

        boolean isConfirmed() {
            return status.filter(code -> code >= 200 && code < 300).isPresent();
        }
    }

    WebhookLog {
        deliveries = List.copyOf(deliveries);
    }

    Optional<Delivery> find(String id) {
        return deliveries.stream().filter(each -> each.id.equals(id)).findFirst();
    }

    WebhookLog reached(long changeCount, long pageCount) {
        return new WebhookLog(changeCount, pageCount, deliveries);
    }

    /** Returns it with a message; if it is full, without the oldest, waiting ones last. */
    WebhookLog with(Delivery delivery) {
        var more = new ArrayList<>(deliveries);
        more.add(delivery);
        if (more.size() > DELIVERIES_MAX) {
            var finished = more.stream().filter(each -> each.state != State.PENDING).findFirst();
            more.remove(finished.orElse(more.getFirst()));
        }
        return new WebhookLog(changes, pages, more);
    }

    WebhookLog replace(Delivery delivery) {
        return new WebhookLog(
                changes,
                pages,
                deliveries.stream()
                        .map(each -> each.id.equals(delivery.id) ? delivery : each)
                        .toList());
    }

    String toJson() {
        return JsonMapper.shared().writeValueAsString(this) + "\n";
    }

    static WebhookLog fromJson(String text) {
        return JsonMapper.shared().readValue(text, WebhookLog.class);
    }
}
