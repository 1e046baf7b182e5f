package dev.orbweaver.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.LocalJobs;
import dev.orbweaver.model.JobId;
import dev.orbweaver.search.PageIndex;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/** What follows a job: opened when it is needed, and missed by nobody when it cannot be. */
class FeedsTest {

    @TempDir Path data;
    private ServedSite site;

    @BeforeEach
    void serve() throws Exception {
        site = ServedSite.documentation(5);
    }

    @AfterEach
    void close() {
        site.close();
    }

    /** A folder with one job at its end. */
    private Path crawled() throws Exception {
        try (var service = Caller.serve(data);
                var caller = new Caller(service.port())) {
            var job = caller.submit(site.url("/"), "{}");
            var _ = caller.awaitEnd(job);
            return service.jobs().folder(new JobId(job));
        }
    }

    private static void delete(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void aJobWhoseSettingsNoLongerHoldIsShownAmongTheOthers() throws Exception {
        var _ = crawled();
        var open = Caller.terms(data);
        var terms =
                new LocalJobs.Terms(data, open.atOnce(), open.jobsMax(), false, open.settings());
        try (var service = Service.start(terms, Service.Settings.onLoopback(0));
                var caller = new Caller(service.port())) {
            var list = caller.call("GET", "/api/v1/jobs");
            assertThat(list.statusCode()).as(list.body()).isEqualTo(200);
            var shown = caller.get("/api/v1/jobs").path("items").get(0);
            assertThat(shown.path("state").asString()).isEqualTo("finished");
            assertThat(shown.path("counts").path("pages").asLong()).isPositive();
            var one = caller.call("GET", "/api/v1/jobs/1");
            assertThat(one.statusCode()).as(one.body()).isEqualTo(200);
        }
    }

    @Test
    void aJobWhoseIndexIsDamagedIsShownAndDeleted() throws Exception {
        var search = crawled().resolve(PageIndex.FOLDER);
        try (var files = Files.list(search)) {
            for (var file : files.toList()) {
                Files.writeString(file, "nothing that an index begins with");
            }
        }
        try (var service = Caller.serve(data);
                var caller = new Caller(service.port())) {
            for (var path : new String[] {"/api/v1/jobs", "/api/v1/jobs/1"}) {
                var answer = caller.call("GET", path);
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            }
            assertThat(caller.call("DELETE", "/api/v1/jobs/1").statusCode()).isEqualTo(204);
        }
    }

    @Test
    void aListOpensNoIndexAndSaysTheSameLastEvent() throws Exception {
        var search = crawled().resolve(PageIndex.FOLDER);
        delete(search);
        try (var service = Caller.serve(data);
                var caller = new Caller(service.port())) {
            var listed = caller.get("/api/v1/jobs").path("items").get(0);
            assertThat(search).doesNotExist();
            var alone = caller.get("/api/v1/jobs/1");
            assertThat(search).exists();
            assertThat(listed.path("lastEventId").asString())
                    .isNotEqualTo("0")
                    .isEqualTo(alone.path("lastEventId").asString());
        }
    }
}
