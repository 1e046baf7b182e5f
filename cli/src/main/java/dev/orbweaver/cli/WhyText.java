package dev.orbweaver.cli;

import dev.orbweaver.internal.explain.UrlExplanation;
import dev.orbweaver.model.PrintableText;

import java.io.PrintStream;

/** What became of a URL, for people. */
final class WhyText {

    private static final int LABEL_WIDTH = 10;

    private final PrintStream out;
    private final UrlExplanation urlExplanation;

    WhyText(PrintStream out, UrlExplanation urlExplanation) {
        this.out = out;
        this.urlExplanation = urlExplanation;
    }

    void print() {
        line("url", urlExplanation.url());
        line("state", urlExplanation.state().label() + ": " + urlExplanation.reason());
        line("found", found());
        urlExplanation.steps().forEach(step -> line("spelling", step));
        line("key of", urlExplanation.normalForm());
        line("scope", urlExplanation.scope());
        line("robots", robots(urlExplanation.robots()));
        urlExplanation.queue().ifPresent(this::queue);
        urlExplanation.attempts().forEach(attempt -> line("recorded", attempt(attempt)));
    }

    private String found() {
        var depth = urlExplanation.depth() < 0 ? "" : ", depth " + urlExplanation.depth();
        return urlExplanation
                .parent()
                .map(
                        parent ->
                                "%s in %s (line %d of the page log)%s%s"
                                        .formatted(
                                                parent.linkType(),
                                                parent.url(),
                                                parent.seq(),
                                                parent.anchor().isEmpty()
                                                        ? ""
                                                        : ", as \"" + parent.anchor() + "\"",
                                                depth))
                .orElseGet(
                        () ->
                                urlExplanation.state() == UrlExplanation.State.NEVER_FOUND
                                        ? "nowhere"
                                        : "named at the start, or by robots.txt" + depth);
    }

    private static String robots(UrlExplanation.Robots robots) {
        if (robots.file().isEmpty()) {
            return robots.statusText();
        }
        if (robots.isUnfetched()) {
            return robots.file() + ": " + robots.statusText();
        }
        var decided =
                robots.line() > 0
                        ? ", line " + robots.line() + ": " + robots.text()
                        : robots.allowed() ? ", no line forbids it" : "";
        var read = robots.fetchedAt().map(at -> ", read " + at).orElse("");
        return "%s by %s%s (%s%s)"
                .formatted(
                        robots.allowed() ? "allowed" : "not allowed",
                        robots.file(),
                        decided,
                        robots.statusText(),
                        read);
    }

    private void queue(UrlExplanation.Queue queue) {
        line(
                "turn",
                "not before %s; at one request every %s s about %s, after %d failed tries"
                        .formatted(
                                queue.notBefore(),
                                queue.delay().toMillis() / 1000.0,
                                queue.expectedFetchTime(),
                                queue.attempts()));
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
            text.append(", asks for ").append(attempt.directives());
        }
        if (!attempt.warc().isEmpty()) {
            text.append(", ").append(attempt.warc()).append(" at ").append(attempt.offset());
        }
        return text.toString();
    }

    /** Much of it was written by strangers, who must not get to command a terminal. */
    private void line(String label, String text) {
        out.println(
                label
                        + " ".repeat(Math.max(1, LABEL_WIDTH - label.length()))
                        + PrintableText.line(text));
    }
}
