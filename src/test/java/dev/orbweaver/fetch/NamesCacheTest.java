package dev.orbweaver.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.fetch.Fetcher.Resolution;
import dev.orbweaver.fetch.Names.Answer;
import dev.orbweaver.testing.Eventually;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;

/** What is remembered of names and for how long, with a clock that the test sets. */
@Timeout(60)
class NamesCacheTest {

    private static final InetAddress FIRST = InetAddress.ofLiteral("9.9.9.9");
    private static final InetAddress SECOND = InetAddress.ofLiteral("2620:fe::fe");

    private final List<String> asked = new ArrayList<>();
    private Answer answer = new Answer(List.of(FIRST, SECOND), "", Duration.ofSeconds(60));
    private long now = Long.MAX_VALUE - 1_000; // A monotonic clock may wrap around.
    private final Names names =
            names(host -> CompletableFuture.completedFuture(answer), Duration.ofSeconds(30));

    private interface Reply {
        CompletableFuture<Answer> to(String host);
    }

    private Names names(Reply reply, Duration lookup) {
        var patient = Duration.ofSeconds(30);
        var settings =
                Client.in(Path.of("."))
                        .limits(lookup, patient, patient)
                        .settings("Test/1.0 (+mailto:test@example.org)");
        var oracle =
                new Names.Oracle() {
                    @Override
                    public CompletableFuture<Answer> ask(String host) {
                        asked.add(host);
                        return reply.to(host);
                    }

                    @Override
                    public void close() {}
                };
        return new Names(settings, oracle, () -> now);
    }

    private void later(Duration time) {
        now += time.toNanos();
    }

    @Test
    void anAnswerLastsAsLongAsItSaysAndNotLonger() {
        assertThat(names.resolve(Client.url("http://a.example/")))
                .isEqualTo(new Resolution.Found(FIRST));
        later(Duration.ofSeconds(59));
        assertThat(names.resolve(Client.url("http://a.example/")))
                .isEqualTo(new Resolution.Found(FIRST));
        assertThat(asked).hasSize(1);
        later(Duration.ofSeconds(1));
        assertThat(names.resolve(Client.url("http://a.example/")))
                .isEqualTo(new Resolution.Found(FIRST));
        assertThat(asked).hasSize(2);
    }

    @Test
    void whatLastsNoTimeIsAskedForAgain() {
        answer = new Answer(List.of(FIRST), "", Duration.ZERO);
        var _ = names.resolve(Client.url("http://a.example/"));
        var _ = names.resolve(Client.url("http://a.example/"));
        assertThat(asked).hasSize(2);
        assertThat(names.remembered()).isZero();
    }

    @Test
    void theGuardLooksAtWhatIsRememberedEveryTime() {
        answer = new Answer(List.of(InetAddress.ofLiteral("10.0.0.1")), "", Duration.ofHours(1));
        for (var i = 0; i < 3; i++) {
            assertThat(names.resolve(Client.url("http://a.example/")))
                    .isInstanceOf(Resolution.Forbidden.class);
        }
        assertThat(asked).hasSize(1);
    }

    @Test
    void anAddressThatFailedComesLastForAWhile() {
        assertThat(names.resolve(Client.url("http://a.example/")))
                .isEqualTo(new Resolution.Found(FIRST));
        names.failed(FIRST);
        assertThat(names.resolve(Client.url("http://a.example/")))
                .isEqualTo(new Resolution.Found(SECOND));
        names.failed(SECOND);
        assertThat(names.resolve(Client.url("http://a.example/")))
                .isEqualTo(new Resolution.Found(FIRST));
        later(Duration.ofMinutes(6));
        assertThat(names.resolve(Client.url("http://a.example/")))
                .isEqualTo(new Resolution.Found(FIRST));
    }

    @Test
    void oneLookUpServesAllWhoAskMeanwhile() throws Exception {
        var pending = new CompletableFuture<Answer>();
        var slow = names(_ -> pending, Duration.ofSeconds(30));
        var waiting = new ArrayList<FutureTask<Resolution>>();
        for (var i = 0; i < 10; i++) {
            var task = new FutureTask<>(() -> slow.resolve(Client.url("http://a.example/")));
            waiting.add(task);
            var thread = Thread.startVirtualThread(task);
            Eventually.until(
                    "the thread waits", () -> thread.getState() == Thread.State.TIMED_WAITING);
        }
        pending.complete(answer);
        for (var task : waiting) {
            assertThat(task.get()).isEqualTo(new Resolution.Found(FIRST));
        }
        assertThat(asked).hasSize(1);
    }

    @Test
    void aLookUpThatNeverEndsIsGivenUpAndBegunAnewNextTime() {
        var silent = names(_ -> new CompletableFuture<>(), Duration.ofMillis(20));
        for (var i = 0; i < 2; i++) {
            assertThat(silent.resolve(Client.url("http://a.example/")))
                    .isInstanceOf(Resolution.NotFound.class);
        }
        assertThat(asked).hasSize(2);
    }

    @Test
    void noMoreThanSoManyNamesAreRemembered() {
        for (var i = 0; i < 100_100; i++) {
            var _ = names.resolve(Client.url("http://host" + i + ".example/"));
        }
        assertThat(names.remembered()).isEqualTo(100_000);
        asked.clear();
        var _ = names.resolve(Client.url("http://host100099.example/"));
        assertThat(asked).isEmpty();
        var _ = names.resolve(Client.url("http://host0.example/"));
        assertThat(asked).hasSize(1);
    }

    @Test
    void theTimeOfALookUpIsToldOnce() {
        var slow =
                names(
                        _ -> {
                            later(Duration.ofMillis(70));
                            return CompletableFuture.completedFuture(answer);
                        },
                        Duration.ofSeconds(30));
        var _ = slow.resolve(Client.url("http://a.example/"));
        assertThat(slow.claimLookup("a.example")).isEqualTo(Duration.ofMillis(70));
        assertThat(slow.claimLookup("a.example")).isZero();
    }

    @Test
    void aNameWithVeryManyAddressesIsRememberedWithSome() {
        var many = java.util.Collections.nCopies(4_000, FIRST);
        assertThat(new Answer(many, "", Duration.ZERO).addresses()).hasSize(16);
    }
}
