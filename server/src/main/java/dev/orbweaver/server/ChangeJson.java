package dev.orbweaver.server;

import com.fasterxml.jackson.annotation.JsonInclude;

import dev.orbweaver.internal.engine.ChangeLogReader.Change;
import dev.orbweaver.model.JobId;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * A change as events and webhooks have it.
 *
 * @param difference path of the call that returns the changed text; absent if no text has changed
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
record ChangeJson(
        long seq,
        long before,
        String kind,
        String url,
        Instant time,
        Instant since,
        Optional<String> difference) {

    private static final Set<String> KINDS_WITH_TEXT = Set.of("new", "text", "back");

    static ChangeJson of(JobId job, Change change) {
        return new ChangeJson(
                change.seq(),
                change.before(),
                change.kind(),
                change.url(),
                change.time(),
                change.since(),
                hasText(change)
                        ? Optional.of(
                                "%s/jobs/%d/changes/%d"
                                        .formatted(Routes.API, job.number(), change.seq()))
                        : Optional.empty());
    }

    static boolean hasText(Change change) {
        return KINDS_WITH_TEXT.contains(change.kind());
    }
}
