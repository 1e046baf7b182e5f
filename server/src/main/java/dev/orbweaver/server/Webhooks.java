package dev.orbweaver.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.fetch.AddressPolicy;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.server.metrics.ServiceFigures;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.SSLSocketFactory;

/**
 * Calls a job's webhook when the job has ended, and with the changes that its visits find ({@link
 * ChangeWebhooks}): a POST, signed with the secret of the job. Makes at most three attempts.
 * Redirects are not followed, and addresses that jobs may not crawl are not called either ({@link
 * WebhookClient}).
 */
final class Webhooks implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Webhooks.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration[] RETRY_DELAYS = {
        Duration.ZERO, Duration.ofSeconds(2), Duration.ofSeconds(10)
    };
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

    void notifyEnd(JobRecord job, Jobs jobs) {
        notifyEnd(job, () -> jobs.stats(job.id()).ledger(), () -> jobs.claimNotification(job));
    }

    /**
     * Sends the notification of a job's end in the background. Does not throw.
     *
     * @param figures supplies the counts; may fail, and is called again then
     * @param isOurs whether this process has to send it; called after the figures were read,
     *     because a process that claims the notification must send it
     */
    void notifyEnd(JobRecord job, Supplier<Ledger> figures, BooleanSupplier isOurs) {
        if (job.webhook().isEmpty()) {
            return;
        }
        var hook = job.webhook().get();
        var first = body(job, figures); // Read now: later the counts may be those of another run.
        var _ =
                Thread.ofVirtual()
                        .name("webhook")
                        .start(() -> deliver(job, hook, first, figures, isOurs));
    }

    private static Optional<byte[]> body(JobRecord job, Supplier<Ledger> figures) {
        try {
            return Optional.of(body(job, figures.get()));
        } catch (RuntimeException e) {
            LOG.warn(
                    "webhook of job {} is delayed: could not read its counts",
                    job.id().number(),
                    e);
            return Optional.empty();
        }
    }

    private static byte[] body(JobRecord job, Ledger ledger) {
        var message =
                new Message(
                        "job.ended",
                        job.id(),
                        job.state(),
                        job.reason(),
                        job.seeds(),
                        ledger.pages(),
                        ledger.dead(),
                        job.ended().map(Object::toString).orElse(""));
        return JsonMapper.shared().writeValueAsBytes(message);
    }

    private record Message(
            String event,
            JobId id,
            JobRecord.State state,
            String reason,
            List<String> seeds,
            long pages,
            long failed,
            String ended) {}

    private void deliver(
            JobRecord job,
            JobRecord.Webhook hook,
            Optional<byte[]> first,
            Supplier<Ledger> figures,
            BooleanSupplier isOurs) {
        permits.acquireUninterruptibly();
        try {
            var body = first;
            var claimed = false;
            for (var pause : RETRY_DELAYS) {
                Thread.sleep(pause);
                if (body.isEmpty()) {
                    body = body(job, figures);
                }
                if (body.isEmpty()) {
                    continue;
                }
                if (!claimed && !claimsNotification(job, isOurs)) {
                    return;
                }
                claimed = true;
                if (sendOnce(job, hook, body.get())) {
                    delivered.increment();
                    return;
                }
                failedAttempts.increment();
            }
            lost.increment();
            LOG.warn("could not deliver the webhook of job {} to {}", job.id().number(), hook);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            permits.release();
        }
    }

    /**
     * Sends a body to the webhook of a job, in at most three attempts.
     *
     * @return whether the receiver confirmed it
     */
    boolean deliver(JobRecord job, byte[] body) throws InterruptedException {
        permits.acquire();
        try {
            for (var pause : RETRY_DELAYS) {
                Thread.sleep(pause);
                if (sendOnce(job, job.webhook().orElseThrow(), body)) {
                    return true;
                }
            }
            return false;
        } finally {
            permits.release();
        }
    }

    /** Returns true if the claim cannot be checked: two notifications are better than none. */
    private static boolean claimsNotification(JobRecord job, BooleanSupplier isOurs) {
        try {
            return isOurs.getAsBoolean();
        } catch (RuntimeException e) {
            LOG.warn(
                    "could not check whether another process notifies the webhook of job {}",
                    job.id().number(),
                    e);
            return true;
        }
    }

    private boolean sendOnce(JobRecord job, JobRecord.Webhook hook, byte[] body) {
        try {
            var headers =
                    Map.of(
                            "Content-Type",
                            "application/json",
                            "X-Orbweaver-Signature",
                            "sha256=" + sign(hook.secret(), body));
            var status = client.send(URI.create(hook.url()), headers, body);
            if (status >= 200 && status < 300) {
                return true;
            }
            LOG.info("webhook of job {} at {} returned {}", job.id().number(), hook, status);
        } catch (IOException | IllegalArgumentException e) {
            LOG.info("webhook of job {} at {} failed: {}", job.id().number(), hook, e.getMessage());
        }
        return false;
    }

    static String sign(String secret, byte[] body) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(
                    new SecretKeySpec(
                            secret.isEmpty() ? new byte[1] : secret.getBytes(UTF_8), "HmacSHA256"));
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
