package dev.orbweaver.internal.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.FetchResult.Failed;
import dev.orbweaver.model.FetchResult.Fetched;
import dev.orbweaver.testing.Eventually;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;

/** Connection attempts: both address families, aborted ones, and those during close. */
@Timeout(60)
class ConnectAttemptTest {

    private static final String HELLO = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

    @TempDir Path temporary;

    @Test
    void bothFamiliesOfAddressesAreDialled() throws Exception {
        for (var address : new String[] {"127.0.0.1", "::1"}) {
            var local = InetAddress.ofLiteral(address);
            assumeTrue(canListen(local), "this machine has no " + address);
            try (var server =
                            TestServer.start(
                                    new ServerSocket(0, 10, local), v -> v.respondToAll(HELLO));
                    var fetcher = TestFetcher.in(temporary).open()) {
                var url = TestFetcher.url("http://site.example:" + server.port() + "/");
                var result = fetcher.fetch(url, local);
                assertThat(result).isInstanceOf(Fetched.class);
                assertThat(((Fetched) result).exchange().remote()).isEqualTo(local);
            }
        }
    }

    @Test
    void onlyANewConnectionTakesTimeToMake() throws Exception {
        try (var server = TestServer.start(v -> v.respondToAll(HELLO));
                var fetcher = TestFetcher.in(temporary).open()) {
            var made = (Fetched) TestFetcher.fetch(fetcher, server, "/");
            var kept = (Fetched) TestFetcher.fetch(fetcher, server, "/");
            assertThat(made.exchange().timings().connect()).isPositive();
            assertThat(made.exchange().timings().firstByte()).isPositive();
            assertThat(kept.exchange().timings().connect()).isZero();
            assertThat(kept.exchange().timings().firstByte()).isPositive();
            assertThat(kept.exchange().timings().tls()).isZero();
            assertThat(fetcher.stats().connectionsOpened()).isEqualTo(1);
        }
    }

    @Test
    void aCallerThatIsInterruptedLeavesNoConnection() throws Exception {
        var asked = new CountDownLatch(1);
        try (var server =
                        TestServer.start(
                                v -> {
                                    v.awaitRequest();
                                    asked.countDown();
                                    v.waitForClose();
                                });
                var fetcher = TestFetcher.in(temporary).open()) {
            var call = new FutureTask<>(() -> TestFetcher.fetch(fetcher, server, "/"));
            var caller = Thread.startVirtualThread(call);
            asked.await();
            caller.interrupt();
            assertThat(cause(call.get())).isEqualTo(FailureCause.TIMEOUT);
            assertNoneOpen(fetcher);
        }
    }

    @RepeatedTest(20)
    void aCallerInterruptedBeforeItDialsLeavesNoConnectionEither() throws Exception {
        try (var server = TestServer.start(v -> v.respondToAll(HELLO));
                var fetcher = TestFetcher.in(temporary).open()) {
            var call =
                    new FutureTask<>(
                            () -> {
                                Thread.currentThread().interrupt();
                                return TestFetcher.fetch(fetcher, server, "/");
                            });
            Thread.startVirtualThread(call).join();
            if (call.get() instanceof Failed failed) {
                assertThat(failed.cause()).isEqualTo(FailureCause.TIMEOUT);
                assertNoneOpen(fetcher);
            } else {
                // The response arrived before the caller started to wait for it.
                assertThat(call.get()).isInstanceOf(Fetched.class);
            }
        }
    }

    @RepeatedTest(10)
    void everyCallEndsHoweverItMeetsTheClosing() throws Exception {
        try (var server =
                TestServer.start(
                        v ->
                                v.respondToAll(
                                        HELLO.replace("5\r\n", "5\r\nConnection: close\r\n")))) {
            var fetcher = TestFetcher.in(temporary).open();
            var begun = new CountDownLatch(8);
            var calls = new ArrayList<FutureTask<FetchResult>>();
            for (var i = 0; i < 32; i++) {
                var call =
                        new FutureTask<>(
                                () -> {
                                    var last = TestFetcher.fetch(fetcher, server, "/");
                                    while (last instanceof Fetched) {
                                        begun.countDown();
                                        last = TestFetcher.fetch(fetcher, server, "/");
                                    }
                                    return last;
                                });
                calls.add(call);
                Thread.startVirtualThread(call);
            }
            begun.await();
            fetcher.close();
            for (var call : calls) {
                assertThat(call.get()).isInstanceOf(Failed.class);
            }
            assertThat(fetcher.stats().openConnections()).isZero();
        }
    }

    @Test
    void aPlaceWhereNobodyAnswersTheDoorIsLeftInTime() throws Exception {
        // The server's backlog is full, so that further connections are not even refused.
        try (var full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var patient = Duration.ofSeconds(30);
            try (var fetcher =
                    TestFetcher.in(temporary)
                            .timeouts(Duration.ofMillis(300), Duration.ofMillis(300), patient)
                            .open()) {
                var url = TestFetcher.url("http://site.example:" + full.getLocalPort() + "/");
                for (var i = 0; i < 4; i++) {
                    var result = fetcher.fetch(url, InetAddress.getLoopbackAddress());
                    assertThat(cause(result)).isEqualTo(FailureCause.TIMEOUT);
                }
                assertNoneOpen(fetcher);
            }
        }
    }

    private static boolean canListen(InetAddress address) {
        try (var _ = new ServerSocket(0, 1, address)) {
            return true;
        } catch (IOException absent) {
            return false;
        }
    }

    private static FailureCause cause(FetchResult result) {
        assertThat(result).isInstanceOf(Failed.class);
        return ((Failed) result).cause();
    }

    private static void assertNoneOpen(NettyFetcher fetcher) throws InterruptedException {
        Eventually.until("no open connection", () -> fetcher.stats().openConnections() == 0);
    }
}
