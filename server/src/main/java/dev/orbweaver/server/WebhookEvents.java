package dev.orbweaver.server;

import dev.orbweaver.internal.jobs.JobRecord.Change;
import dev.orbweaver.internal.jobs.JobRecord.State;

import java.util.List;
import java.util.Optional;

/** The events that webhooks receive. */
final class WebhookEvents {

    static final String PAGES = "job.pages";
    static final String CHANGES = "job.changes";

    static final List<String> ALL =
            List.of("job.started", "job.finished", "job.stopped", "job.failed", CHANGES);

    /** Those of a webhook that does not choose. */
    static final List<String> DEFAULT = ALL.subList(1, ALL.size());

    private WebhookEvents() {}

    /**
     * Returns the event of a change of state; empty if it has none.
     *
     * @param before the state before it; empty if it is not known
     */
    static Optional<String> of(Change change, Optional<State> before) {
        return switch (change.state()) {
            case RUNNING ->
                    before.filter(state -> state == State.PAUSED).isPresent()
                            ? Optional.empty()
                            : Optional.of("job.started");
            case FINISHED, STOPPED, FAILED -> Optional.of("job." + change.state().id());
            case QUEUED, PAUSED, DELETED -> Optional.empty();
        };
    }
}
