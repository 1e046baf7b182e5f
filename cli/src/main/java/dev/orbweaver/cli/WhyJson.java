package dev.orbweaver.cli;

import dev.orbweaver.internal.explain.UrlExplanation;

import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

import java.util.List;

/**
 * What became of a URL, for programs, under these very names. What is not known is empty, or -1.
 *
 * @param parents where it was first found
 * @param queue at most one place
 */
record WhyJson(
        String requestedUrl,
        String url,
        String normalForm,
        List<String> steps,
        String state,
        String reason,
        int depth,
        List<UrlExplanation.Parent> parents,
        String scope,
        Robots robots,
        List<Queue> queue,
        List<Attempt> attempts) {

    /** What robots.txt says. */
    record Robots(
            String file,
            String statusText,
            String fetchedAt,
            boolean allowed,
            int line,
            String text) {}

    /** A place in a queue. */
    record Queue(
            long ahead,
            String notBefore,
            double delaySeconds,
            String expectedFetchTime,
            int attempts) {}

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

    static String of(String asked, UrlExplanation urlExplanation) {
        var json =
                new WhyJson(
                        asked,
                        urlExplanation.url(),
                        urlExplanation.normalForm(),
                        urlExplanation.steps(),
                        urlExplanation.state().label(),
                        urlExplanation.reason(),
                        urlExplanation.depth(),
                        urlExplanation.parent().stream().toList(),
                        urlExplanation.scope(),
                        robots(urlExplanation.robots()),
                        urlExplanation.queue().stream().map(WhyJson::queue).toList(),
                        urlExplanation.attempts().stream().map(WhyJson::attempt).toList());
        return JsonMapper.builder()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .build()
                .writeValueAsString(json);
    }

    private static Robots robots(UrlExplanation.Robots robots) {
        return new Robots(
                robots.file(),
                robots.statusText(),
                robots.fetchedAt().map(Object::toString).orElse(""),
                robots.allowed(),
                robots.line(),
                robots.text());
    }

    private static Queue queue(UrlExplanation.Queue queue) {
        return new Queue(
                queue.ahead(),
                queue.notBefore().toString(),
                queue.delay().toMillis() / 1000.0,
                queue.expectedFetchTime().toString(),
                queue.attempts());
    }

    private static Attempt attempt(UrlExplanation.Attempt attempt) {
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
