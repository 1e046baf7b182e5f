package dev.orbweaver.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.jobs.JobRecord.Change;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.internal.jobs.JobRecord.Webhook;
import dev.orbweaver.model.JobId;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.core.JacksonException;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

class JobRecordTest {

    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

    private static JobRecord job(Optional<String> key, Optional<Webhook> webhook) {
        var wish = new JobRequest(List.of("http://a.test/"), "{\"delay\":\"1s\"}", 2, key, webhook);
        return JobRecord.submitted(new JobId(7), wish, NOW);
    }

    @Test
    void whatAJobDoesNotHaveIsLeftOut() {
        var job = job(Optional.empty(), Optional.empty());
        assertThat(job.toJson())
                .isEqualTo(
                        """
                        {"id":7,"state":"queued","reason":"","seeds":["http://a.test/"],\
                        "settings":"{\\"delay\\":\\"1s\\"}","weight":2,\
                        "created":"2030-01-01T00:00:00Z","changes":[],"dropped":0,\
                        "labels":{"tags":[]},"running":{"beforeMs":0}}
                        """);
        assertThat(JobRecord.fromJson(job.toJson())).isEqualTo(job);
    }

    @Test
    void everyPartIsReadBackAsItWasWritten() {
        var job =
                job(
                                Optional.of("ann/1"),
                                Optional.of(
                                        new Webhook(
                                                "http://b.test/",
                                                "a secret",
                                                List.of("job.failed"),
                                                100)))
                        .withState(State.RUNNING, "", NOW)
                        .withState(State.FAILED, "no page", NOW.plusMillis(1))
                        .withChange(new Change(3, State.FAILED, "no page", NOW.plusNanos(1)));
        assertThat(job.toJson())
                .isEqualTo(
                        """
                        {"id":7,"state":"failed","reason":"no page","seeds":["http://a.test/"],\
                        "settings":"{\\"delay\\":\\"1s\\"}","weight":2,"key":"ann/1",\
                        "webhook":{"url":"http://b.test/","secret":"a secret",\
                        "events":["job.failed"],"everyPages":100},\
                        "created":"2030-01-01T00:00:00Z","started":"2030-01-01T00:00:00Z",\
                        "ended":"2030-01-01T00:00:00.001Z","changes":[{"seq":3,"state":"failed",\
                        "reason":"no page","at":"2030-01-01T00:00:00.000000001Z"}],"dropped":0,\
                        "labels":{"tags":[]},"running":{"beforeMs":1}}
                        """);
        assertThat(JobRecord.fromJson(job.toJson())).isEqualTo(job);
    }

    @ParameterizedTest
    @CsvSource({"\"queued\", \"FAILED\"", "'\"state\":\"queued\",', ''", "2030-01-01, then"})
    void aRecordWithoutAPartOrWithAnUnknownWordIsDamaged(String part, String replacement) {
        var json = job(Optional.empty(), Optional.empty()).toJson();
        assertThat(json).contains(part);
        assertThatThrownBy(() -> JobRecord.fromJson(json.replace(part, replacement)))
                .isInstanceOf(JacksonException.class);
    }
}
