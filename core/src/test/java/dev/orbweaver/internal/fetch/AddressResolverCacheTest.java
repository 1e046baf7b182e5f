package dev.orbweaver.internal.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.fetch.AddressResolver.DnsAnswer;
import dev.orbweaver.spi.Fetcher.Resolution;
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

/** How long names are cached, with a clock that the test sets. */
@Timeout(60)
class AddressResolverCacheTest {

    private static final InetAddress FIRST = InetAddress.ofLiteral("9.9.9.9");
    private static final InetAddress SECOND = InetAddress.ofLiteral("2620:fe::fe");

    private final List<String> queries = new ArrayList<>();
    private DnsAnswer dnsAnswer = new DnsAnswer(List.of(FIRST, SECOND), "", Duration.ofSeconds(60));
    private long now = Long.MAX_VALUE - 1_000; // A monotonic clock may wrap around.
    private final AddressResolver addressResolver =
            resolver(host -> CompletableFuture.completedFuture(dnsAnswer), Duration.ofSeconds(30));

    private interface UpstreamStub {
        CompletableFuture<DnsAnswer> answer(String host);
    }

    private AddressResolver resolver(UpstreamStub upstreamStub, Duration lookup) {
        var patient = Duration.ofSeconds(30);
        var settings =
                TestFetcher.in(Path.of("."))
                        .timeouts(lookup, patient, patient)
                        .settings("Test/1.0 (+mailto:test@example.org)");
        var oracle =
                new AddressResolver.Upstream() {
                    @Override
                    public CompletableFuture<DnsAnswer> query(String host) {
                        queries.add(host);
                        return upstreamStub.answer(host);
                    }

                    @Override
                    public void close() {}
                };
        return new AddressResolver(settings, oracle, () -> now);
    }

    private void advance(Duration time) {
        now += time.toNanos();
    }

    @Test
    void anAnswerLastsAsLongAsItSaysAndNotLonger() {
        assertThat(addressResolver.resolve(TestFetcher.url("http://a.example/")))
                .isEqualTo(new Resolution.Found(FIRST));
        advance(Duration.ofSeconds(59));
        assertThat(addressResolver.resolve(TestFetcher.url("http://a.example/")))
                .isEqualTo(new Resolution.Found(FIRST));
        assertThat(queries).hasSize(1);
        advance(Duration.ofSeconds(1));
        assertThat(addressResolver.resolve(TestFetcher.url("http://a.example/")))
                .isEqualTo(new Resolution.Found(FIRST));
        assertThat(queries).hasSize(2);
    }

    @Test
    void whatLastsNoTimeIsAskedForAgain() {
        dnsAnswer = new DnsAnswer(List.of(FIRST), "", Duration.ZERO);
        var _ = addressResolver.resolve(TestFetcher.url("http://a.example/"));
        var _ = addressResolver.resolve(TestFetcher.url("http://a.example/"));
        assertThat(queries).hasSize(2);
        assertThat(addressResolver.cacheSize()).isZero();
    }

    @Test
    void theGuardLooksAtWhatIsRememberedEveryTime() {
        dnsAnswer =
                new DnsAnswer(List.of(InetAddress.ofLiteral("10.0.0.1")), "", Duration.ofHours(1));
        for (var i = 0; i < 3; i++) {
            assertThat(addressResolver.resolve(TestFetcher.url("http://a.example/")))
                    .isInstanceOf(Resolution.Forbidden.class);
        }
        assertThat(queries).hasSize(1);
    }

    @Test
    void anAddressThatFailedComesLastForAWhile() {
        assertThat(addressResolver.resolve(TestFetcher.url("http://a.example/")))
                .isEqualTo(new Resolution.Found(FIRST));
        addressResolver.markFailed(FIRST);
        assertThat(addressResolver.resolve(TestFetcher.url("http://a.example/")))
                .isEqualTo(new Resolution.Found(SECOND));
        addressResolver.markFailed(SECOND);
        assertThat(addressResolver.resolve(TestFetcher.url("http://a.example/")))
                .isEqualTo(new Resolution.Found(FIRST));
        advance(Duration.ofMinutes(6));
        assertThat(addressResolver.resolve(TestFetcher.url("http://a.example/")))
                .isEqualTo(new Resolution.Found(FIRST));
    }

    @Test
    void oneLookUpServesAllWhoAskMeanwhile() throws Exception {
        var pending = new CompletableFuture<DnsAnswer>();
        var slow = resolver(_ -> pending, Duration.ofSeconds(30));
        var waiting = new ArrayList<FutureTask<Resolution>>();
        for (var i = 0; i < 10; i++) {
            var task = new FutureTask<>(() -> slow.resolve(TestFetcher.url("http://a.example/")));
            waiting.add(task);
            var thread = Thread.startVirtualThread(task);
            Eventually.until(
                    "the thread waits", () -> thread.getState() == Thread.State.TIMED_WAITING);
        }
        pending.complete(dnsAnswer);
        for (var task : waiting) {
            assertThat(task.get()).isEqualTo(new Resolution.Found(FIRST));
        }
        assertThat(queries).hasSize(1);
    }

    @Test
    void aLookUpThatNeverEndsIsGivenUpAndBegunAnewNextTime() {
        var silent = resolver(_ -> new CompletableFuture<>(), Duration.ofMillis(20));
        for (var i = 0; i < 2; i++) {
            assertThat(silent.resolve(TestFetcher.url("http://a.example/")))
                    .isInstanceOf(Resolution.NotFound.class);
        }
        assertThat(queries).hasSize(2);
    }

    @Test
    void noMoreThanSoManyNamesAreRemembered() {
        for (var i = 0; i < 100_100; i++) {
            var _ = addressResolver.resolve(TestFetcher.url("http://host" + i + ".example/"));
        }
        assertThat(addressResolver.cacheSize()).isEqualTo(100_000);
        queries.clear();
        var _ = addressResolver.resolve(TestFetcher.url("http://host100099.example/"));
        assertThat(queries).isEmpty();
        var _ = addressResolver.resolve(TestFetcher.url("http://host0.example/"));
        assertThat(queries).hasSize(1);
    }

    @Test
    void theTimeOfALookUpIsToldOnce() {
        var slow =
                resolver(
                        _ -> {
                            advance(Duration.ofMillis(70));
                            return CompletableFuture.completedFuture(dnsAnswer);
                        },
                        Duration.ofSeconds(30));
        var _ = slow.resolve(TestFetcher.url("http://a.example/"));
        assertThat(slow.takeLookupTime("a.example")).isEqualTo(Duration.ofMillis(70));
        assertThat(slow.takeLookupTime("a.example")).isZero();
    }

    @Test
    void aNameWithVeryManyAddressesIsRememberedWithSome() {
        var many = java.util.Collections.nCopies(4_000, FIRST);
        assertThat(new DnsAnswer(many, "", Duration.ZERO).addresses()).hasSize(16);
    }
}
