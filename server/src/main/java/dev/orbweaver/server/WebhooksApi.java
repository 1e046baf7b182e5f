package dev.orbweaver.server;

import com.fasterxml.jackson.annotation.JsonInclude;

import dev.orbweaver.server.WebhookLog.Delivery;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/** Shows the messages to the webhook of a job, and sends them again. */
final class WebhooksApi {

    private final JobsApi jobsApi;
    private final WebhookDeliveries deliveries;

    WebhooksApi(JobsApi jobsApi, WebhookDeliveries deliveries) {
        this.jobsApi = jobsApi;
        this.deliveries = deliveries;
    }

    /** A message without its body. */
    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    private record DeliveryJson(
            String id,
            String event,
            Instant created,
            WebhookLog.State state,
            int attempts,
            Optional<Instant> lastAttempt,
            Optional<Integer> status,
            Optional<String> error,
            Optional<Instant> nextAttempt) {

        static DeliveryJson of(Delivery delivery) {
            return new DeliveryJson(
                    delivery.id(),
                    delivery.event(),
                    delivery.created(),
                    delivery.state(),
                    delivery.attempts(),
                    delivery.lastAttempt(),
                    delivery.status(),
                    delivery.error(),
                    delivery.nextAttempt());
        }
    }

    void list(ApiCall apiCall) throws IOException {
        apiCall.jsonItems(deliveries.deliveries(jobsApi.job(apiCall)), DeliveryJson::of);
    }

    void redeliver(ApiCall apiCall) throws IOException {
        var job = jobsApi.job(apiCall);
        var id = apiCall.context().pathParam("delivery");
        var again =
                deliveries
                        .redeliver(job, id)
                        .orElseThrow(
                                () ->
                                        ProblemException.of(
                                                ProblemException.NOT_FOUND,
                                                "Message '%s' to the webhook of job %d not found; the last %d are kept."
                                                        .formatted(
                                                                id,
                                                                job.id().number(),
                                                                WebhookLog.DELIVERIES_MAX)));
        apiCall.json(202, DeliveryJson.of(again));
    }
}
