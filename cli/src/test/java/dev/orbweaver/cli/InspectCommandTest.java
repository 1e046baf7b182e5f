package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLock;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.testing.Golden;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class InspectCommandTest {

    @TempDir Path directory;

    /** One host of every state, and dead letters of two causes. */
    private ScriptedCrawl crawl() throws Exception {
        var crawl = ScriptedCrawl.create(directory);
        crawl.offer("dead.example", 6);
        for (var i = 0; i < 5; i++) {
            crawl.failNext(i < 4 ? FailureCause.TIMEOUT : FailureCause.TLS);
            crawl.advance(1);
        }
        crawl.failNext(FailureCause.TIMEOUT);
        crawl.offer("busy.example", 3);
        assertThat(crawl.lease().url().host()).isEqualTo("busy.example");
        crawl.offer("resting.example", 1201);
        crawl.restNext(1800);
        crawl.offer("waiting.example", 8);
        crawl.failNext(FailureCause.TLS);
        crawl.offer("ready.example", 2);
        return crawl;
    }

    private CommandResult inspect(String... options) {
        var line = new ArrayList<>(List.of("inspect", directory.toString()));
        line.addAll(List.of(options));
        return CommandResult.run(line.toArray(String[]::new));
    }

    private String golden(CommandResult said) {
        assertThat(said.err()).isEmpty();
        assertThat(said.code()).isZero();
        return said.out().replace(directory.toString(), "DIR");
    }

    @Test
    void everythingThereIsToTellOfACrawlThatStandsStill() throws Exception {
        crawl().close();
        var before = contents();
        Golden.check("cli/inspect.txt", golden(inspect()));
        Golden.check("cli/inspect.json.txt", golden(inspect("--json", "--hosts", "2")));
        assertThat(contents()).as("nothing is changed").isEqualTo(before);
    }

    @Test
    void aCrawlThatRunsIsLookedAtAsItIs() throws Exception {
        try (var crawl = crawl();
                var _ = DirectoryLock.tryLock(directory.resolve(".lock")).orElseThrow()) {
            crawl.advance(1);
            var before = contents();
            var said = golden(inspect());
            assertThat(said)
                    .contains("state     running", "\nnext due\n", "no snapshot yet", "timeout 5")
                    .containsPattern("busy.example +2 +1 +95 +busy +when a request ends");
            assertThat(contents()).as("nothing is changed").isEqualTo(before);
            crawl.offer("late.example", 9000);
            assertThat(golden(inspect("--hosts=1"))).containsPattern("late.example +9,000 ");
        }
    }

    @Test
    void asJsonItIsOneObject() throws Exception {
        crawl().close();
        var json = JsonMapper.shared().readTree(inspect("--json").out());
        assertThat(json.path("ledger").path("dead").asInt()).isEqualTo(7);
        assertThat(json.path("failedByCause").path("tls").asInt()).isEqualTo(2);
        assertThat(json.path("dead").path("timeout")).hasSize(3);
        assertThat(json.path("longestQueues").path(0).path("host").asString())
                .isEqualTo("resting.example");
        assertThat(json.path("longestQueues").path(0).path("dueInSeconds").asDouble())
                .isEqualTo(1800);
    }

    @Test
    void theStatusAsJsonHasTheSameFieldNames() throws Exception {
        crawl().close();
        new SinkStatus("mongodb", 3, 5, "captures", "no connection").write(directory);
        AtomicFile.write(
                new RealDisk(),
                directory.resolve("progress.json"),
                "{\"seconds\":7,\"inFlight\":2,\"allowed\":64,\"reductionReason\":\"memory\","
                        + "\"concurrencyReductions\":1,\"secondsByPhase\":{\"politeness\":6.5},"
                        + "\"politenessShare\":0.75}\n");
        var before = contents();
        var said = CommandResult.run("status", directory.toString(), "--json");
        Golden.check("cli/status.json.txt", golden(said));
        assertThat(contents()).as("nothing is changed").isEqualTo(before);
        var status = JsonMapper.shared().readTree(said.out());
        var inspected = JsonMapper.shared().readTree(inspect("--json").out());
        for (var name : List.of("seed", "directory", "state", "ledger", "hosts", "failedByCause")) {
            assertThat(status.path(name)).as(name).isEqualTo(inspected.path(name));
        }
        assertThat(status.path("progress").path("secondsByPhase").path("politeness").asDouble())
                .isEqualTo(6.5);
        assertThat(status.path("sinks").path(0).path("problem").asString())
                .isEqualTo("no connection");
    }

    @Test
    void aCountThatIsNone() throws Exception {
        crawl().close();
        for (var count : List.of("-1", "many", "")) {
            var said = inspect("--hosts=" + count);
            assertThat(said.code()).isEqualTo(2);
            assertThat(said.err())
                    .isEqualTo(
                            "orbweaver: --hosts: expected a number from 0 to 1,000,000, not '%s'%n"
                                    .formatted(count));
        }
        assertThat(inspect("--hosts=0").code()).isZero();
    }

    @Test
    void aMissingOrDamagedFrontierIsReported() throws Exception {
        crawl().close();
        Files.write(directory.resolve("frontier/snapshot-1"), new byte[] {'O', 'R', 'B', '?'});
        var spoilt = inspect();
        assertThat(spoilt.code()).isEqualTo(4);
        assertThat(spoilt.err())
                .contains("is not an Orbweaver frontier file")
                .doesNotContain("Exception");
        Files.move(directory.resolve("frontier"), directory.resolve("elsewhere"));
        var missing = inspect();
        assertThat(missing.code()).isEqualTo(4);
        assertThat(missing.err())
                .isEqualTo(
                        "orbweaver: no such file or directory: "
                                + directory.resolve("frontier")
                                + "\n");
    }

    private List<String> contents() throws IOException {
        var contents = new ArrayList<String>();
        try (var files = Files.walk(directory)) {
            for (var file : files.filter(Files::isRegularFile).sorted().toList()) {
                contents.add(file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file));
            }
        }
        return contents;
    }
}
