package dev.orbweaver.internal.jobs;

import java.util.List;
import java.util.Optional;

/**
 * A job as submitted by a client.
 *
 * @param settings a JSON object with the names of the settings file
 * @param weight its share of the turns relative to other jobs, from 1 to 100
 * @param key idempotency key: a second request with the same key returns the first job
 * @param labels what the client says about it
 */
public record JobRequest(
        List<String> seeds,
        String settings,
        int weight,
        Optional<String> key,
        Optional<JobRecord.Webhook> webhook,
        JobLabels labels) {

    public static final int WEIGHT_MAX = 100;

    /** A job without labels. */
    public JobRequest(
            List<String> seeds,
            String settings,
            int weight,
            Optional<String> key,
            Optional<JobRecord.Webhook> webhook) {
        this(seeds, settings, weight, key, webhook, JobLabels.NONE);
    }

    public JobRequest withSettings(String otherSettings) {
        return new JobRequest(seeds, otherSettings, weight, key, webhook, labels);
    }

    public JobRequest withLabels(JobLabels otherLabels) {
        return new JobRequest(seeds, settings, weight, key, webhook, otherLabels);
    }

    public JobRequest {
        seeds = List.copyOf(seeds);
        if (weight < 1 || weight > WEIGHT_MAX) {
            throw new IllegalArgumentException("weight must be from 1 to 100, not " + weight);
        }
    }
}
