package dev.orbweaver.cli;

import dev.orbweaver.crawl.Account;
import dev.orbweaver.model.PrintableText;

import java.io.PrintStream;

/** What became of a URL, for people. */
final class WhyText {

    private static final int LABEL = 10;

    private final PrintStream out;
    private final Account account;

    WhyText(PrintStream out, Account account) {
        this.out = out;
        this.account = account;
    }

    void print() {
        line("url", account.url());
        line("state", account.state().word() + ": " + account.because());
        line("found", found());
        account.steps().forEach(step -> line("spelling", step));
        line("key of", account.normalForm());
        line("scope", account.scope());
        line("robots", robots(account.robots()));
        account.queue().ifPresent(this::queue);
        account.attempts().forEach(attempt -> line("recorded", attempt(attempt)));
    }

    private String found() {
        var depth = account.depth() < 0 ? "" : ", depth " + account.depth();
        return account.parent()
                .map(
                        parent ->
                                "%s in %s (line %d of the page log)%s%s"
                                        .formatted(
                                                parent.how(),
                                                parent.url(),
                                                parent.seq(),
                                                parent.anchor().isEmpty()
                                                        ? ""
                                                        : ", as \"" + parent.anchor() + "\"",
                                                depth))
                .orElseGet(
                        () ->
                                account.state() == Account.State.NEVER_FOUND
                                        ? "nowhere"
                                        : "named at the start, or by robots.txt" + depth);
    }

    private static String robots(Account.Robots robots) {
        if (robots.file().isEmpty()) {
            return robots.said();
        }
        if (robots.isUnread()) {
            return robots.file() + ": " + robots.said();
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
                        robots.said(),
                        read);
    }

    private void queue(Account.Queue queue) {
        line(
                "turn",
                "not before %s; at one request every %s s about %s, after %d failed tries"
                        .formatted(
                                queue.notBefore(),
                                queue.delay().toMillis() / 1000.0,
                                queue.turn(),
                                queue.tries()));
    }

    private static String attempt(Account.Attempt attempt) {
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
                label + " ".repeat(Math.max(1, LABEL - label.length())) + PrintableText.line(text));
    }
}
