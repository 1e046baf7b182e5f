package dev.orbweaver.service;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;

/** A crawl takes a while to be opened and to be closed, and people do not wait for that. */
@Timeout(300)
class HastyCallsTest {

    @TempDir Path data;

    @ParameterizedTest
    @CsvSource({"pause, paused", "stop, stopped"})
    void whatIsSaidToAJobAsItBeginsOrEndsCounts(String verb, String state) throws Exception {
        try (var site = ServedSite.documentation(3);
                var service = Caller.serve(data);
                var caller = new Caller(service.port())) {
            // It has more pages than one and waits an hour before the second.
            var job = caller.submit(site.url("/"), "{\"delay\":\"1h\"}");
            var place = "/api/v1/jobs/" + job;
            assertThat(caller.call("POST", place + "/" + verb).statusCode()).isEqualTo(200);
            // Jobs are begun one after the other, so once this one is over that one was begun.
            var other = site.url("/guide/1.html").replace("127.0.0.1", "localhost");
            var _ = caller.awaitEnd(caller.submit(other, "{\"depth\":\"0\"}"));
            assertThat(caller.get(place).path("state").asString()).isEqualTo(state);

            assertThat(caller.call("POST", place + "/resume").statusCode()).isEqualTo(200);
            var _ = caller.await(job, now -> now.path("state").asString().equals("running"));
            assertThat(caller.call("POST", place + "/stop").statusCode()).isEqualTo(200);
            assertThat(caller.call("POST", place + "/resume").statusCode()).isEqualTo(200);
            var _ = caller.awaitEnd(caller.submit(other, "{\"depth\":\"0\"}"));
            assertThat(caller.get(place).path("state").asString()).isEqualTo("running");
        }
    }
}
