package dev.orbweaver.internal.explain;

import dev.orbweaver.internal.explain.UrlExplanation.Attempt;
import dev.orbweaver.internal.explain.UrlExplanation.NextVisit;
import dev.orbweaver.internal.explain.UrlExplanation.Parent;
import dev.orbweaver.internal.explain.UrlExplanation.Queue;
import dev.orbweaver.internal.explain.UrlExplanation.Robots;
import dev.orbweaver.internal.frontier.ForeignSetting;

import java.util.List;
import java.util.Optional;

/**
 * An explanation as JSON, for {@code why --json} and the REST API; unknown values are null, an
 * unknown depth is -1.
 *
 * @param requestedUrl the URL as the user wrote it
 * @param path the reasons in the order in which they were evaluated
 */
public record ExplanationJson(
        String requestedUrl,
        String url,
        String normalForm,
        List<String> steps,
        String state,
        String reason,
        int depth,
        Optional<Parent> parent,
        String scope,
        boolean inScope,
        Robots robots,
        Optional<Queue> queue,
        List<ForeignSetting> foreignSettings,
        List<Attempt> attempts,
        Optional<NextVisit> nextVisit,
        List<ExplanationText.Reason> path) {

    public static ExplanationJson of(String requestedUrl, UrlExplanation explanation) {
        return new ExplanationJson(
                requestedUrl,
                explanation.url(),
                explanation.normalForm(),
                explanation.steps(),
                explanation.state().label(),
                explanation.reason(),
                explanation.depth(),
                explanation.parent(),
                explanation.scope(),
                explanation.inScope(),
                explanation.robots(),
                explanation.queue(),
                explanation.foreignSettings(),
                explanation.attempts(),
                explanation.nextVisit(),
                ExplanationText.reasons(explanation));
    }
}
