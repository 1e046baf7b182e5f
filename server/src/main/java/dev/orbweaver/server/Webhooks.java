package dev.orbweaver.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.fetch.AddressPolicy;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.server.WebhookLog.Attempt;
import dev.orbweaver.server.WebhookLog.Delivery;
import dev.orbweaver.server.WebhookLog.State;
import dev.orbweaver.server.metrics.ServiceFigures;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.SSLSocketFactory;

/**
 * Calls the webhooks of jobs: a POST for each message of {@link WebhookDeliveries}, signed with the
 * secret of the job. Redirects are not followed, and addresses that jobs may not crawl are not
 * called either ({@link WebhookClient}).
 */
final class Webhooks implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Webhooks.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int CONCURRENCY = 8;

    private final Semaphore permits = new Semaphore(CONCURRENCY);
    private final LongAdder delivered = new LongAdder();
    private final LongAdder failedAttempts = new LongAdder();
    private final LongAdder lost = new LongAdder();
    private final WebhookClient client;

    Webhooks(AddressPolicy addresses) {
        this(
                new WebhookClient(
                        host -> List.of(InetAddress.getAllByName(host)),
                        addresses::refusalReason,
                        (SSLSocketFactory) SSLSocketFactory.getDefault(),
                        TIMEOUT));
    }

    Webhooks(WebhookClient post) {
        this.client = post;
    }

    /**
     * Rejects a webhook that could never be called. A host that cannot be resolved yet is accepted;
     * its addresses are checked before each call.
     */
    void validate(String url) {
        var uri = parse(url);
        client.refusalReason(uri)
                .ifPresent(
                        why -> {
                            throw ProblemException.inField(
                                    "webhook.url",
                                    "webhook.url is not allowed: %s; the operator can allow such addresses with --allow-private or --allow-addresses."
                                            .formatted(why));
                        });
    }

    private static URI parse(String url) {
        URI uri;
        try {
            uri = URI.create(url);
        } catch (IllegalArgumentException e) {
            throw ProblemException.inField("webhook.url", "webhook.url is not a valid URL: " + url);
        }
        var http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
        if (!http || uri.getHost() == null || uri.getUserInfo() != null) {
            throw ProblemException.inField(
                    "webhook.url", "webhook.url must be an http or https URL without a password.");
        }
        return uri;
    }

    /** Shows the counts of messages and attempts. */
    void register(ServiceFigures figures) {
        figures.count(
                "orbweaver.webhook.delivered", "Webhook messages that were delivered", delivered);
        figures.count(
                "orbweaver.webhook.attempts.failed",
                "Attempts to deliver a webhook message that failed",
                failedAttempts);
        figures.count(
                "orbweaver.webhook.lost",
                "Webhook messages that were given up after the last attempt",
                lost);
    }

    /**
     * Sends a message once.
     *
     * @param id identifies the message; the same for each attempt
     * @param now signed with the body, so that an old message cannot be sent again by others
     */
    Attempt attempt(JobRecord job, String event, String id, byte[] body, Instant now)
            throws InterruptedException {
        var hook = job.webhook().orElseThrow();
        var headers = new LinkedHashMap<String, String>();
        var timestamp = Long.toString(now.getEpochSecond());
        headers.put("Content-Type", "application/json");
        headers.put("X-Orbweaver-Event", event);
        headers.put("X-Orbweaver-Delivery", id);
        headers.put("X-Orbweaver-Timestamp", timestamp);
        if (!hook.secret().isEmpty()) {
            headers.put("X-Orbweaver-Signature", "sha256=" + sign(hook.secret(), timestamp, body));
        }
        permits.acquire();
        try {
            var status = client.send(URI.create(hook.url()), headers, body);
            return new Attempt(Optional.of(status), Optional.empty());
        } catch (IOException | IllegalArgumentException e) {
            return new Attempt(Optional.empty(), Optional.of(String.valueOf(e.getMessage())));
        } finally {
            permits.release();
        }
    }

    /** Counts an attempt, and a message that was given up. */
    void count(JobRecord job, Delivery delivery) {
        countAttempt(job, delivery);
        if (delivery.state() == State.FAILED) {
            lost.increment();
            LOG.warn(
                    "gave up message {} to the webhook of job {}",
                    delivery.id(),
                    job.id().number());
        }
    }

    long failedAttempts() {
        return failedAttempts.sum();
    }

    /** Counts an attempt of a message that is sent again, however often it fails. */
    void countAttempt(JobRecord job, Delivery delivery) {
        if (delivery.state() == State.DELIVERED) {
            delivered.increment();
            return;
        }
        failedAttempts.increment();
        LOG.info(
                "webhook of job {} at {} {}",
                job.id().number(),
                job.webhook().map(Object::toString).orElse(""),
                delivery.status()
                        .map(status -> "returned " + status)
                        .orElseGet(() -> "failed: " + delivery.error().orElse("")));
    }

    /** Returns the signature of a message: that of its timestamp, a dot and its body. */
    static String sign(String secret, String timestamp, byte[] body) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
            mac.update((timestamp + ".").getBytes(UTF_8));
            return HexFormat.of().formatHex(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA256", e);
        }
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
