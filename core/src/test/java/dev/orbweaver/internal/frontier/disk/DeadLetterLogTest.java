package dev.orbweaver.internal.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.FrontierFixtures;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.model.FailureCause;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** The dead letter log, through its own interface and through the frontier. */
class DeadLetterLogTest {

    /** Enough that the log is written before there is a snapshot. */
    private static final int MANY = 3000;

    @TempDir Path directory;
    private Instant now = Fixture.START;

    private TestFrontier open() throws IOException {
        return TestFrontier.open(new RealDisk(), directory, FrontierFixtures.PLAIN, now);
    }

    private List<String> listed() throws IOException {
        var listed = new ArrayList<String>();
        var unlisted =
                DiskFrontier.readDeadLetters(
                        new RealDisk(),
                        directory,
                        FrontierFixtures.PLAIN,
                        DiskSettings.DEFAULT,
                        letter -> listed.add(letter.url().text()));
        assertThat(unlisted).isZero();
        return listed;
    }

    private static List<String> urls(String host, int count) {
        return IntStream.range(0, count).mapToObj(i -> "http://" + host + "/" + i).toList();
    }

    /** Makes URLs of a host dead letters, one by one. */
    private void die(TestFrontier frontier, String host, int count) {
        offer(frontier, host, count);
        for (var i = 0; i < count; i++) {
            now = now.plusSeconds(1);
            settle(frontier, new Outcome.Dead(FailureCause.DNS), new HostSignal.Healthy(now));
        }
    }

    /** Makes all URLs of a host dead letters at once. */
    private void giveUp(TestFrontier frontier, String host, int count) {
        offer(frontier, host, count);
        var before = frontier.ledger().dead();
        while (frontier.ledger().dead() == before) {
            frontier.nextWork(now).nextDue().ifPresent(due -> now = due);
            settle(
                    frontier,
                    new Outcome.Retry(now, FailureCause.TIMEOUT),
                    new HostSignal.Failing(now));
        }
    }

    private void offer(TestFrontier frontier, String host, int count) {
        frontier.offer(
                TestFrontier.JOB, urls(host, count).stream().map(Fixture::link).toList(), now);
    }

    private void settle(TestFrontier frontier, Outcome outcome, HostSignal signal) {
        for (var lease : frontier.lease(1, now)) {
            var settlement = Settlement.of(lease, outcome, signal);
            assertThat(frontier.settle(new CommitBatch(List.of(settlement), List.of()), now))
                    .isZero();
        }
    }

    @Test
    void whoeverLooksOnSeesEachLetterOnceWhereverItIsWritten() throws IOException {
        try (var frontier = open()) {
            die(frontier, "a.example", 3);
        }
        try (var frontier = open()) {
            var length = directory.resolve(DeadLetterLog.NAME).toFile().length();
            giveUp(frontier, "b.example", MANY);
            assertThat(directory.resolve(DeadLetterLog.NAME).toFile()).as("log").isNotEmpty();
            assertThat(directory.resolve(DeadLetterLog.NAME).toFile().length())
                    .isGreaterThan(length);
            var expected = new ArrayList<>(urls("a.example", 3));
            expected.addAll(urls("b.example", MANY));
            assertThat(listed()).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(
                            frontier.requeueDeadLetters(
                                    TestFrontier.JOB,
                                    letter -> letter.url().host().startsWith("b"),
                                    now))
                    .isEqualTo(MANY);
            assertThat(listed()).isEqualTo(urls("a.example", 3));
        }
        assertThat(listed()).isEqualTo(urls("a.example", 3));
    }

    @Test
    void lettersTakenBackStayTakenBackThroughEveryDeath() throws IOException {
        try (var frontier = open()) {
            die(frontier, "a.example", 4);
        }
        var revived = open();
        assertThat(
                        revived.requeueDeadLetters(
                                TestFrontier.JOB, letter -> odd(letter.url().text()), now))
                .isEqualTo(2);
        var ledger = revived.ledger();
        for (var life = 0; life < 3; life++) {
            var frontier = open(); // The previous one has died.
            assertThat(frontier.ledger()).isEqualTo(ledger);
            assertThat(listed()).containsExactly("http://a.example/0", "http://a.example/2");
            assertThat(
                            frontier.requeueDeadLetters(
                                    TestFrontier.JOB, letter -> odd(letter.url().text()), now))
                    .isZero();
            if (life > 0) {
                frontier.close();
            }
        }
    }

    private static boolean odd(String url) {
        return url.endsWith("1") || url.endsWith("3");
    }

    @Test
    void aLogThatIsDamagedOrCutIsRefused() throws IOException {
        try (var frontier = open()) {
            die(frontier, "a.example", 4);
        }
        var disk = new RealDisk();
        var log = directory.resolve(DeadLetterLog.NAME);
        var whole = disk.read(log);
        for (var at = 0; at < whole.length; at++) {
            var damaged = whole.clone();
            damaged[at] ^= (byte) (1 << (at % 8));
            Files.write(log, damaged);
            assertThatThrownBy(this::open)
                    .hasMessageContaining("dead")
                    .hasMessageContaining("rebuild it with the command 'orbweaver repair");
            assertThatThrownBy(this::listed)
                    .hasMessageContaining("rebuild it with the command 'orbweaver repair");
            Files.write(log, Arrays.copyOf(whole, at));
            assertThatThrownBy(this::open)
                    .hasMessageContaining("is shorter than its snapshot states");
        }
    }
}
