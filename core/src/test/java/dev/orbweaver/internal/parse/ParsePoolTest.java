package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.testing.Eventually;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

class ParsePoolTest {

    private static final Duration NEVER = Duration.ofHours(1);

    @Test
    void workRunsOnPlatformThreadsAndNoMoreOfItAtOnceThanThereAreThreads() throws Exception {
        var pool = new ParsePool(2, NEVER);
        var running = new AtomicInteger();
        var most = new AtomicInteger();
        var onVirtual = new AtomicInteger();
        var done = new AtomicInteger();
        var callers = new ArrayList<Thread>();
        for (var i = 0; i < 200; i++) {
            var number = i;
            callers.add(
                    Thread.startVirtualThread(
                            () -> {
                                var result =
                                        run(
                                                pool,
                                                () -> {
                                                    most.accumulateAndGet(
                                                            running.incrementAndGet(), Math::max);
                                                    if (Thread.currentThread().isVirtual()) {
                                                        onVirtual.incrementAndGet();
                                                    }
                                                    Thread.onSpinWait();
                                                    running.decrementAndGet();
                                                    return number;
                                                });
                                assertThat(result).isEqualTo(number);
                                done.incrementAndGet();
                            }));
        }
        for (var caller : callers) {
            caller.join();
        }
        assertThat(done).hasValue(200);
        assertThat(most.get()).isLessThanOrEqualTo(2);
        assertThat(onVirtual).hasValue(0);
    }

    @Test
    void whatTheWorkThrowsReachesItsCallerAndTheThreadsGoOn() throws Exception {
        var pool = new ParsePool(1, NEVER);
        assertThatThrownBy(() -> pool.run(() -> "a page", ParsePoolTest::recurse))
                .isInstanceOf(StackOverflowError.class);
        assertThatThrownBy(
                        () ->
                                pool.run(
                                        () -> "a page",
                                        () -> {
                                            throw new IOException("no disk");
                                        }))
                .isInstanceOf(IOException.class)
                .hasMessage("no disk");
        assertThat(run(pool, () -> 7)).isEqualTo(7);
    }

    @Test
    void workThatIsLateGetsItsThreadReplacedAndStillYieldsItsResult() throws Exception {
        var pool = new ParsePool(1, Duration.ofMillis(20));
        var stuck = new CountDownLatch(1);
        var result = new AtomicInteger();
        var caller =
                Thread.startVirtualThread(
                        () ->
                                result.set(
                                        run(
                                                pool,
                                                () -> {
                                                    await(stuck);
                                                    return 5;
                                                })));
        assertThat(run(pool, () -> 7)).isEqualTo(7); // Waits for the other thread.
        assertThat(pool.threads()).isEqualTo(1);
        assertThat(result).hasValue(0);
        stuck.countDown();
        caller.join();
        assertThat(result).hasValue(5);
        assertThat(run(pool, () -> 8)).isEqualTo(8);
        assertThat(pool.threads()).isEqualTo(1);
    }

    @Test
    void theNumberOfReplacedThreadsIsBounded() throws Exception {
        var pool = new ParsePool(1, Duration.ofMillis(5));
        var stuck = new CountDownLatch(1);
        var begun = new AtomicInteger();
        var callers = new ArrayList<Thread>();
        for (var i = 0; i < 10; i++) {
            callers.add(
                    Thread.startVirtualThread(
                            () -> {
                                var _ =
                                        run(
                                                pool,
                                                () -> {
                                                    begun.incrementAndGet();
                                                    await(stuck);
                                                    return 1;
                                                });
                            }));
        }
        Eventually.until("five have begun", () -> begun.get() >= 5);
        Thread.sleep(50);
        assertThat(begun).hasValue(5);
        stuck.countDown();
        for (var caller : callers) {
            caller.join();
        }
        assertThat(begun).hasValue(10);
        assertThat(run(pool, () -> 8)).isEqualTo(8);
    }

    @Test
    void workWithinWorkAndWorkWithoutThreadsIsDoneByTheCaller() throws Exception {
        var pool = new ParsePool(1, NEVER);
        assertThat(run(pool, () -> run(pool, () -> 7))).isEqualTo(7);
        assertThat(ParsePool.INLINE.run(() -> "a page", Thread::currentThread))
                .isEqualTo(Thread.currentThread());
    }

    @Test
    void anInterruptedCallerGetsItsResultAndStaysInterrupted() {
        var pool = new ParsePool(1, NEVER);
        Thread.currentThread().interrupt();
        assertThat(run(pool, () -> 7)).isEqualTo(7);
        assertThat(Thread.interrupted()).isTrue();
    }

    @SuppressWarnings("InfiniteRecursion") // The test needs it.
    private static int recurse() {
        return recurse() + 1;
    }

    private static int run(ParsePool pool, ParsePool.ParseTask<Integer> parseTask) {
        try {
            return pool.run(() -> "a page", parseTask);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
