package dev.orbweaver.cli;

import dev.orbweaver.crawl.Account;

import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

import java.util.List;

/**
 * What became of a URL, for programs, under these very names. What is not known is empty, or -1.
 *
 * @param found where it was first found
 * @param queue at most one place
 */
record WhyJson(
        String asked,
        String url,
        String normalForm,
        List<String> steps,
        String state,
        String because,
        int depth,
        List<Account.Parent> found,
        String scope,
        Robots robots,
        List<Queue> queue,
        List<Attempt> attempts) {

    /** What robots.txt says. */
    record Robots(
            String file, String said, String fetchedAt, boolean allowed, int line, String text) {}

    /** A place in a queue. */
    record Queue(long ahead, String notBefore, double delaySeconds, String turn, int tries) {}

    /** A line of the page log. */
    record Attempt(
            long seq,
            String time,
            String outcome,
            int status,
            String cause,
            String detail,
            String directives,
            String warc,
            long offset) {}

    static String of(String asked, Account account) {
        var json =
                new WhyJson(
                        asked,
                        account.url(),
                        account.normalForm(),
                        account.steps(),
                        account.state().word(),
                        account.because(),
                        account.depth(),
                        account.parent().stream().toList(),
                        account.scope(),
                        robots(account.robots()),
                        account.queue().stream().map(WhyJson::queue).toList(),
                        account.attempts().stream().map(WhyJson::attempt).toList());
        return JsonMapper.builder()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .build()
                .writeValueAsString(json);
    }

    private static Robots robots(Account.Robots robots) {
        return new Robots(
                robots.file(),
                robots.said(),
                robots.fetchedAt().map(Object::toString).orElse(""),
                robots.allowed(),
                robots.line(),
                robots.text());
    }

    private static Queue queue(Account.Queue queue) {
        return new Queue(
                queue.ahead(),
                queue.notBefore().toString(),
                queue.delay().toMillis() / 1000.0,
                queue.turn().toString(),
                queue.tries());
    }

    private static Attempt attempt(Account.Attempt attempt) {
        return new Attempt(
                attempt.seq(),
                attempt.time().toString(),
                attempt.outcome(),
                attempt.status(),
                attempt.cause(),
                attempt.detail(),
                attempt.directives(),
                attempt.warc(),
                attempt.offset());
    }
}
