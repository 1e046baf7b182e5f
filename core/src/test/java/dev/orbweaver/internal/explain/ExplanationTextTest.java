package dev.orbweaver.internal.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.explain.ExplanationText.Reason;
import dev.orbweaver.internal.explain.UrlExplanation.Attempt;
import dev.orbweaver.internal.explain.UrlExplanation.NextVisit;
import dev.orbweaver.internal.explain.UrlExplanation.Parent;
import dev.orbweaver.internal.explain.UrlExplanation.Queue;
import dev.orbweaver.internal.explain.UrlExplanation.Robots;
import dev.orbweaver.internal.explain.UrlExplanation.State;
import dev.orbweaver.internal.frontier.ForeignSetting;
import dev.orbweaver.model.JobId;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.json.JsonMapper;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** An explanation as text and as JSON. */
class ExplanationTextTest {

    private static final Instant TIME = Instant.parse("2026-01-02T03:04:05Z");

    private static final UrlExplanation QUEUED =
            new UrlExplanation(
                    "http://a.test/x",
                    "http://a.test/X",
                    List.of("a step"),
                    State.QUEUED,
                    "position 3 in the queue of its host",
                    Optional.of(new Parent("http://a.test/", 7, "anchor", "a\u001b[31mb")),
                    1,
                    "inside the scope",
                    true,
                    new Robots(
                            "http://a.test/robots.txt",
                            "status 200",
                            Optional.of(TIME),
                            true,
                            3,
                            "Allow: /x"),
                    Optional.of(Queue.of(85, 2, TIME, Duration.ofMillis(1500), 1)),
                    List.of(new ForeignSetting(new JobId(7), "delay", "1500ms")),
                    List.of(
                            new Attempt(
                                    9,
                                    TIME,
                                    "retried",
                                    500,
                                    "server-error",
                                    "status 500",
                                    "",
                                    "",
                                    0),
                            new Attempt(10, TIME, "page", 200, "", "", "noindex", "a.warc", 12)),
                    Optional.of(new NextVisit(Optional.of(TIME), "every 7 days")));

    private static final UrlExplanation NEVER_FOUND =
            new UrlExplanation(
                    "http://b.test/",
                    "http://b.test/",
                    List.of(),
                    State.NEVER_FOUND,
                    "no page links to it",
                    Optional.empty(),
                    -1,
                    "outside a.test",
                    false,
                    Robots.unfetched("http://b.test/robots.txt"),
                    Optional.empty(),
                    List.of(),
                    List.of(),
                    Optional.empty());

    @Test
    void everythingKnownIsALineAndControlCharactersAreNot() {
        assertThat(ExplanationText.lines(QUEUED))
                .containsExactly(
                        "url       http://a.test/x",
                        "state     queued: position 3 in the queue of its host",
                        "found     anchor in http://a.test/ (line 7 of the page log), link"
                                + " text \"a [31mb\", depth 1",
                        "normalize a step",
                        "key       http://a.test/X",
                        "scope     inside the scope",
                        "robots    allowed by http://a.test/robots.txt, line 3: Allow: /x (status"
                                + " 200, fetched 2026-01-02T03:04:05Z)",
                        "queue     priority 85 of 100; due not before 2026-01-02T03:04:05Z,"
                                + " expected about 2026-01-02T03:04:08Z (one request every 1.5 s);"
                                + " failed attempts: 1",
                        "revisit   next visit 2026-01-02T03:04:05Z: every 7 days",
                        "jobs      delay 1500ms of job 7 is in force here, because it is stricter",
                        "attempt   2026-01-02T03:04:05Z retried, status 500, server-error: status"
                                + " 500",
                        "attempt   2026-01-02T03:04:05Z page, status 200, directives noindex,"
                                + " a.warc at offset 12");
    }

    @Test
    void aUrlThatWasNeverFoundIsSaidToBeNowhere() {
        assertThat(ExplanationText.lines(NEVER_FOUND))
                .containsExactly(
                        "url       http://b.test/",
                        "state     never found: no page links to it",
                        "found     nowhere",
                        "key       http://b.test/",
                        "scope     outside a.test",
                        "robots    http://b.test/robots.txt: not fetched yet");
    }

    @Test
    void aReasonSaysWhetherTheUrlPassedIt() {
        assertThat(ExplanationText.reasons(QUEUED))
                .extracting(Reason::title, Reason::ok)
                .map(Object::toString)
                .containsExactly(
                        "(\"found\", true)",
                        "(\"scope\", true)",
                        "(\"robots\", true)",
                        "(\"queue\", true)",
                        "(\"revisit\", true)",
                        "(\"jobs\", true)",
                        "(\"attempt\", false)",
                        "(\"attempt\", true)",
                        "(\"queued\", true)");
        assertThat(ExplanationText.reasons(NEVER_FOUND))
                .extracting(Reason::title, Reason::ok)
                .map(Object::toString)
                .containsExactly(
                        "(\"found\", false)",
                        "(\"scope\", false)",
                        "(\"robots\", true)",
                        "(\"never found\", false)");
    }

    @Test
    void theJsonFormHasTheseNamesAndNullForWhatIsUnknown() {
        assertThat(json("HTTP://b.test", NEVER_FOUND))
                .isEqualTo(
                        """
                        {"requestedUrl":"HTTP://b.test","url":"http://b.test/",\
                        "normalForm":"http://b.test/","steps":[],"state":"never found",\
                        "reason":"no page links to it","depth":-1,"parent":null,\
                        "scope":"outside a.test","inScope":false,\
                        "robots":{"file":"http://b.test/robots.txt",\
                        "statusText":"not fetched yet","fetchedAt":null,"allowed":true,\
                        "line":0,"text":""},"queue":null,"foreignSettings":[],"attempts":[],"nextVisit":null,"path":[\
                        {"title":"found","text":"nowhere","ok":false},\
                        {"title":"scope","text":"outside a.test","ok":false},\
                        {"title":"robots","text":"http://b.test/robots.txt: not fetched yet",\
                        "ok":true},\
                        {"title":"never found","text":"no page links to it","ok":false}]}\
                        """);
        assertThat(json("http://a.test/x", QUEUED))
                .contains(
                        """
                        "parent":{"url":"http://a.test/","seq":7,"linkType":"anchor",\
                        "anchor":"a\\u001B[31mb"}\
                        """,
                        """
                        "fetchedAt":"2026-01-02T03:04:05Z\"\
                        """,
                        """
                        "queue":{"priority":85,"ahead":2,"notBefore":"2026-01-02T03:04:05Z","delayMs":1500,\
                        "expectedFetchTime":"2026-01-02T03:04:08Z","attempts":1}\
                        """,
                        """
                        {"seq":9,"time":"2026-01-02T03:04:05Z","outcome":"retried","status":500,\
                        "cause":"server-error","detail":"status 500","directives":"","warc":"",\
                        "offset":0}\
                        """);
    }

    private static String json(String requestedUrl, UrlExplanation explanation) {
        return JsonMapper.shared()
                .writeValueAsString(ExplanationJson.of(requestedUrl, explanation));
    }
}
