package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.Golden;
import dev.orbweaver.disk.FolderLock;
import dev.orbweaver.model.FailureCause;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class InspectCommandTest {

    @TempDir Path folder;

    /** One host of every state, and dead letters of two causes. */
    private StillCrawl crawl() throws Exception {
        var crawl = StillCrawl.begin(folder);
        crawl.offer("dead.example", 6);
        for (var i = 0; i < 5; i++) {
            crawl.dies(i < 4 ? FailureCause.TIMEOUT : FailureCause.TLS);
            crawl.later(1);
        }
        crawl.dies(FailureCause.TIMEOUT);
        crawl.offer("busy.example", 3);
        assertThat(crawl.lease().url().host()).isEqualTo("busy.example");
        crawl.offer("resting.example", 1201);
        crawl.rests(1800);
        crawl.offer("waiting.example", 8);
        crawl.dies(FailureCause.TLS);
        crawl.offer("ready.example", 2);
        return crawl;
    }

    private Console inspect(String... options) {
        var line = new ArrayList<>(List.of("inspect", folder.toString()));
        line.addAll(List.of(options));
        return Console.run(line.toArray(String[]::new));
    }

    private String golden(Console said) {
        assertThat(said.err()).isEmpty();
        assertThat(said.code()).isZero();
        return said.out().replace(folder.toString(), "DIR");
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
                var _ = FolderLock.tryLock(folder.resolve(".lock")).orElseThrow()) {
            crawl.later(1);
            var before = contents();
            var said = golden(inspect());
            assertThat(said)
                    .contains("state     running", "\nnext due\n", "no snapshot yet", "timeout 5")
                    .containsPattern("busy.example +2 +1 +busy +when a request ends");
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
        assertThat(json.path("longest").path(0).path("host").asString())
                .isEqualTo("resting.example");
        assertThat(json.path("longest").path(0).path("dueInSeconds").asDouble()).isEqualTo(1800);
    }

    @Test
    void aCountThatIsNone() throws Exception {
        crawl().close();
        for (var count : List.of("-1", "many", "")) {
            var said = inspect("--hosts=" + count);
            assertThat(said.code()).isEqualTo(2);
            assertThat(said.err())
                    .isEqualTo(
                            "orbweaver: --hosts takes a number from 0 to 1,000,000, not '%s'%n"
                                    .formatted(count));
        }
        assertThat(inspect("--hosts=0").code()).isZero();
    }

    @Test
    void aFrontierThatIsMissingOrSpoiltIsToldOf() throws Exception {
        crawl().close();
        Files.write(folder.resolve("frontier/snapshot-1"), new byte[] {'O', 'R', 'B', '?'});
        var spoilt = inspect();
        assertThat(spoilt.code()).isEqualTo(4);
        assertThat(spoilt.err()).contains("is not a frontier file").doesNotContain("Exception");
        Files.move(folder.resolve("frontier"), folder.resolve("elsewhere"));
        var missing = inspect();
        assertThat(missing.code()).isEqualTo(4);
        assertThat(missing.err())
                .isEqualTo("orbweaver: there is no " + folder.resolve("frontier") + "\n");
    }

    private List<String> contents() throws IOException {
        var contents = new ArrayList<String>();
        try (var files = Files.walk(folder)) {
            for (var file : files.filter(Files::isRegularFile).sorted().toList()) {
                contents.add(file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file));
            }
        }
        return contents;
    }
}
