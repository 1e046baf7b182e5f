package dev.orbweaver.internal.explain;

import dev.orbweaver.internal.frontier.ForeignSetting;
import dev.orbweaver.model.PrintableText;

import java.util.ArrayList;
import java.util.List;

/**
 * Formats an explanation as text: the lines that commands print, and the reasons of the JSON form.
 */
public final class ExplanationText {

    private static final int LABEL_WIDTH = 10;

    private final UrlExplanation explanation;

    private ExplanationText(UrlExplanation explanation) {
        this.explanation = explanation;
    }

    /** One check that contributed to the state; {@code ok} if the URL passed it. */
    public record Reason(String title, String text, boolean ok) {

        private String line() {
            return lineOf(title, text);
        }
    }

    public static List<String> lines(UrlExplanation explanation) {
        var text = new ExplanationText(explanation);
        var lines = new ArrayList<String>();
        lines.add(lineOf("url", explanation.url()));
        lines.add(lineOf("state", explanation.state().label() + ": " + explanation.reason()));
        lines.add(text.found().line());
        explanation.steps().forEach(step -> lines.add(lineOf("normalize", step)));
        lines.add(lineOf("key", explanation.normalForm()));
        text.rules().forEach(reason -> lines.add(reason.line()));
        return lines;
    }

    /**
     * Returns the reasons in the order in which they were evaluated; the last one is the state
     * itself.
     */
    static List<Reason> reasons(UrlExplanation explanation) {
        var text = new ExplanationText(explanation);
        var reasons = new ArrayList<Reason>();
        reasons.add(text.found());
        reasons.addAll(text.rules());
        reasons.add(
                new Reason(
                        explanation.state().label(),
                        explanation.reason(),
                        explanation.state().isOpenOrDone()));
        return reasons;
    }

    private Reason found() {
        var depth = explanation.depth() < 0 ? "" : ", depth " + explanation.depth();
        var never = explanation.state() == UrlExplanation.State.NEVER_FOUND;
        return explanation
                .parent()
                .map(parent -> new Reason("found", found(parent) + depth, true))
                .orElseGet(
                        () ->
                                new Reason(
                                        "found",
                                        never ? "nowhere" : "as a seed, or in robots.txt" + depth,
                                        !never));
    }

    private static String found(UrlExplanation.Parent parent) {
        return "%s in %s (line %d of the page log)%s"
                .formatted(
                        parent.linkType(),
                        parent.url(),
                        parent.seq(),
                        parent.anchor().isEmpty() ? "" : ", link text \"" + parent.anchor() + "\"");
    }

    private List<Reason> rules() {
        var reasons = new ArrayList<Reason>();
        reasons.add(new Reason("scope", explanation.scope(), explanation.inScope()));
        var robots = explanation.robots();
        reasons.add(new Reason("robots", robots(robots), robots.allowed()));
        explanation
                .queue()
                .ifPresent(queue -> reasons.add(new Reason("queue", queue(queue), true)));
        explanation
                .nextVisit()
                .ifPresent(next -> reasons.add(new Reason("revisit", nextVisit(next), true)));
        explanation
                .foreignSettings()
                .forEach(foreign -> reasons.add(new Reason("jobs", foreign(foreign), true)));
        explanation
                .attempts()
                .forEach(
                        attempt ->
                                reasons.add(
                                        new Reason("attempt", attempt(attempt), isGood(attempt))));
        return reasons;
    }

    private static String robots(UrlExplanation.Robots robots) {
        if (robots.file().isEmpty()) {
            return robots.statusText();
        }
        if (robots.unread()) {
            return robots.file() + ": " + robots.statusText();
        }
        var decided =
                robots.line() > 0
                        ? ", line " + robots.line() + ": " + robots.text()
                        : robots.allowed() ? ", no rule matches" : "";
        var read = robots.fetchedAt().map(at -> ", fetched " + at).orElse("");
        return "%s by %s%s (%s%s)"
                .formatted(
                        robots.allowed() ? "allowed" : "not allowed",
                        robots.file(),
                        decided,
                        robots.statusText(),
                        read);
    }

    private static String queue(UrlExplanation.Queue queue) {
        return "priority %d of 100; due not before %s, expected about %s (one request every %s s); failed attempts: %d"
                .formatted(
                        queue.priority(),
                        queue.notBefore(),
                        queue.expectedFetchTime(),
                        queue.delayMs() / 1000.0,
                        queue.attempts());
    }

    private static String nextVisit(UrlExplanation.NextVisit next) {
        return next.due().map(due -> "next visit " + due + ": ").orElse("no further visit: ")
                + next.reason();
    }

    private static String foreign(ForeignSetting foreign) {
        return "%s %s of job %d is in force here, because it is stricter"
                .formatted(foreign.setting(), foreign.value(), foreign.job().number());
    }

    private static String attempt(UrlExplanation.Attempt attempt) {
        var text = new StringBuilder(attempt.time() + " " + attempt.outcome());
        if (attempt.status() > 0) {
            text.append(", status ").append(attempt.status());
        }
        if (!attempt.cause().isEmpty()) {
            text.append(", ").append(attempt.cause()).append(": ").append(attempt.detail());
        }
        if (!attempt.directives().isEmpty()) {
            text.append(", directives ").append(attempt.directives());
        }
        if (!attempt.warc().isEmpty()) {
            text.append(", ").append(attempt.warc()).append(" at offset ").append(attempt.offset());
        }
        return text.toString();
    }

    private static boolean isGood(UrlExplanation.Attempt attempt) {
        return attempt.status() >= 200 && attempt.status() < 400;
    }

    /** Formats a line without control characters: texts from sites must not control a terminal. */
    private static String lineOf(String label, String text) {
        return label
                + " ".repeat(Math.max(1, LABEL_WIDTH - label.length()))
                + PrintableText.line(text);
    }
}
