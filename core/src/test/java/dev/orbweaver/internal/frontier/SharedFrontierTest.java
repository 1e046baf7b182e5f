package dev.orbweaver.internal.frontier;

import static dev.orbweaver.internal.frontier.TestFrontier.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Eventually;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

class SharedFrontierTest {

    private static final JobId A = new JobId(1);
    private static final JobId B = new JobId(2);
    private static final int AT_ONCE = 4;

    private final InstantSource clock = InstantSource.system();
    private final TestFrontier whole =
            TestFrontier.inMemory(
                    new Politeness(
                            Duration.ZERO, Duration.ZERO, Duration.ZERO, 1, Duration.ofMinutes(5)),
                    clock.instant());
    private final SharedFrontier shared = new SharedFrontier(whole.inner, AT_ONCE, clock);
    private final CrawlFrontier a = shared.view(A, "jobs/1/");
    private final CrawlFrontier b = shared.view(B, "jobs/2/");

    @AfterEach
    void close() {
        shared.close();
        whole.close();
    }

    private void offer(CrawlFrontier view, String prefix, int hosts, int pages) {
        var found = new ArrayList<Candidate>();
        for (var host = 0; host < hosts; host++) {
            for (var page = 0; page < pages; page++) {
                found.add(Fixture.link("http://" + prefix + host + ".example/" + page));
            }
        }
        TestFrontier.durable(view.offer(found, clock.instant()));
    }

    /** Returns the leases of a job, which requests them until it gets some. */
    private List<Lease> leases(CrawlFrontier view, int max) {
        var leases = new ArrayList<Lease>();
        await(
                () -> {
                    leases.addAll(view.lease(max, clock.instant()));
                    return !leases.isEmpty();
                });
        return leases;
    }

    private static void await(BooleanSupplier what) {
        Eventually.until("what this test waits for", what::getAsBoolean);
    }

    private static CommitBatch done(List<Lease> leases, List<CommittedLength> marks) {
        return new CommitBatch(
                leases.stream()
                        .map(
                                lease ->
                                        new Settlement(
                                                lease,
                                                new Outcome.Done(true, 1),
                                                new HostSignal.Healthy(Instant.now()),
                                                0,
                                                List.of(),
                                                Map.of()))
                        .toList(),
                marks);
    }

    @Test
    void eachCrawlGetsLeasesOfItsOwnJobOnlyAndNoMoreAreOutThanMayBe() {
        offer(a, "a", 20, 1);
        offer(b, "b", 20, 1);
        var ofA = leases(a, 3);
        assertThat(ofA).allMatch(lease -> lease.job().equals(A)).hasSizeLessThanOrEqualTo(3);
        var ofB = leases(b, 20);
        assertThat(ofB).allMatch(lease -> lease.job().equals(B));
        assertThat(whole.ledger().leased()).isLessThanOrEqualTo(AT_ONCE);
    }

    @Test
    void turnsComeOutByWeightHoweverOftenWhoAsks() {
        offer(a, "a", 1000, 5);
        offer(b, "b", 1000, 5);
        whole.setWeight(A, 3);
        var turns = new HashMap<JobId, Integer>();
        await(
                () -> {
                    for (var view : List.of(a, b, b)) { // One of them requests twice as often.
                        var leases = view.lease(10 * AT_ONCE, clock.instant());
                        leases.forEach(lease -> turns.merge(lease.job(), 1, Integer::sum));
                        TestFrontier.durable(view.settle(done(leases, List.of()), clock.instant()));
                    }
                    return turns.values().stream().mapToInt(n -> n).sum() > 2000;
                });
        var share =
                turns.getOrDefault(A, 0) / (double) turns.values().stream().mapToInt(n -> n).sum();
        assertThat(share).as("share of A in %s", turns).isBetween(0.65, 0.85);
    }

    @Test
    void aCrawlThatWantsNothingAnyMoreGivesBackWhatWasDealtToIt() {
        offer(a, "a", 20, 1);
        assertThat(a.lease(AT_ONCE, clock.instant())).isEmpty();
        await(() -> whole.ledger().leased() == AT_ONCE);
        assertThat(a.lease(0, clock.instant())).isEmpty();
        await(() -> whole.ledger().leased() == 0);
        offer(b, "b", 20, 1);
        var ofB = new ArrayList<Lease>(); // They are assigned one by one.
        await(() -> ofB.addAll(b.lease(20, clock.instant())) && ofB.size() >= AT_ONCE);
        assertThat(ofB).hasSize(AT_ONCE);
    }

    @Test
    void aCrawlThatLeavesGivesBackWhatWasDealtToItAndItsJobStays() {
        offer(a, "a", 20, 1);
        assertThat(a.lease(AT_ONCE, clock.instant())).isEmpty();
        await(() -> whole.ledger().leased() == AT_ONCE);
        a.close();
        await(() -> whole.ledger().leased() == 0);
        assertThat(whole.ledger(A).queued()).isEqualTo(20);
    }

    @Test
    void aCrawlThatBreaksOffGivesBackWhatIsOut() {
        offer(a, "a", 3, 1);
        assertThat(leases(a, 3)).isNotEmpty();
        a.close();
        await(() -> whole.ledger().leased() == 0);
        assertThat(whole.ledger(A).queued()).isEqualTo(3);
    }

    /** The jobs have different user agents or different copies of robots.txt. */
    @Test
    void ofSeveralDelaysTheLongestIsKept() {
        a.attach(CrawlHooks.NONE);
        b.attach(CrawlHooks.NONE);
        durable(a.setCrawlDelay("a0.example", Duration.ofHours(9)));
        durable(b.setCrawlDelay("a0.example", Duration.ZERO));
        durable(b.setCrawlDelay("a0.example", Duration.ofSeconds(2)));
        offer(b, "a", 1, 2);
        var lease = leases(b, 1);
        TestFrontier.durable(b.settle(done(lease, List.of()), clock.instant()));
        assertThat(whole.nextWork(clock.instant()).nextDue().orElseThrow())
                .isAfter(clock.instant().plus(Duration.ofHours(8)));
    }

    @Test
    void aJobIsOverWhenItsOwnUrlsAreWhateverTheOthersHave() {
        offer(a, "a", 1, 1);
        offer(b, "b", 5, 5);
        assertThat(a.nextWork(clock.instant()).isExhausted()).isFalse();
        var leases = leases(a, 1);
        assertThat(a.nextWork(clock.instant()).isExhausted()).isFalse();
        TestFrontier.durable(a.settle(done(leases, List.of()), clock.instant()));
        assertThat(a.nextWork(clock.instant()).isExhausted()).isTrue();
        assertThat(b.nextWork(clock.instant()).isExhausted()).isFalse();
        assertThat(a.ledger().done()).isEqualTo(1);
        assertThat(a.stats().ledger()).isEqualTo(whole.ledger(A));
    }

    @Test
    void theMarksOfACrawlAreItsOwnThoughTheFilesHaveTheSameNames() {
        TestFrontier.durable(
                a.settle(
                        done(List.of(), List.of(new CommittedLength("pages", 7, 7))),
                        clock.instant()));
        TestFrontier.durable(
                b.settle(
                        done(List.of(), List.of(new CommittedLength("pages", 9, 7))),
                        clock.instant()));
        assertThat(a.committedLengths()).containsExactly(new CommittedLength("pages", 7, 7));
        assertThat(b.committedLengths()).containsExactly(new CommittedLength("pages", 9, 7));
    }

    @Test
    void marksBesideTheFrontierAreWrittenBeforeAnythingIsSettled() {
        var kept = new ArrayList<CommittedLength>();
        var full = new AtomicBoolean(true);
        var marks =
                new CommittedLengths() {
                    @Override
                    public List<CommittedLength> latest() {
                        return List.copyOf(kept);
                    }

                    @Override
                    public void write(List<CommittedLength> some) throws IOException {
                        if (full.get()) {
                            throw new IOException("no space left");
                        }
                        kept.addAll(some);
                    }

                    @Override
                    public void close() {}
                };
        var view = shared.view(A, marks);
        offer(view, "a", 1, 1);
        var commitBatch = done(leases(view, 1), List.of(new CommittedLength("pages", 7, 7)));
        assertThat(view.settle(commitBatch, clock.instant()))
                .isInstanceOf(CommitStatus.Pending.class);
        assertThat(view.flush()).isInstanceOf(CommitStatus.Pending.class);
        assertThat(whole.ledger().done()).isZero();
        full.set(false);
        TestFrontier.durable(view.flush());
        assertThat(whole.ledger().done()).isEqualTo(1);
        assertThat(view.committedLengths()).containsExactly(new CommittedLength("pages", 7, 7));
        assertThat(whole.committedLengths()).isEmpty();
    }

    @Test
    void whenDealingFailsEveryCrawlIsTold() {
        var broken =
                (FrontierAdmin)
                        Proxy.newProxyInstance(
                                FrontierAdmin.class.getClassLoader(),
                                new Class<?>[] {FrontierAdmin.class},
                                (_, method, args) -> {
                                    if (method.getName().equals("lease")) {
                                        throw new IllegalStateException("on purpose");
                                    }
                                    return method.invoke(whole.inner, args);
                                });
        try (var table = new SharedFrontier(broken, AT_ONCE, clock)) {
            var view = table.view(A, "");
            offer(view, "a", 1, 1);
            assertThatThrownBy(() -> await(() -> !view.lease(1, clock.instant()).isEmpty()))
                    .hasRootCauseMessage("on purpose");
        }
    }

    /** As when a crawl is paused after its leases were taken and before they are assigned. */
    @Test
    void leasesThatAreNoLongerWantedGoBackAtOnce() {
        var pauses = new ArrayList<Runnable>();
        var paused = new AtomicBoolean();
        var pausing =
                (FrontierAdmin)
                        Proxy.newProxyInstance(
                                FrontierAdmin.class.getClassLoader(),
                                new Class<?>[] {FrontierAdmin.class},
                                (_, method, args) -> {
                                    var result = method.invoke(whole.inner, args);
                                    if (method.getName().equals("lease")) {
                                        pauses.forEach(Runnable::run);
                                        paused.set(true);
                                    }
                                    return result;
                                });
        try (var table = new SharedFrontier(pausing, AT_ONCE, clock)) {
            var view = table.view(A, "");
            pauses.add(() -> assertThat(view.lease(0, clock.instant())).isEmpty());
            offer(view, "a", AT_ONCE, 1);
            assertThat(view.lease(AT_ONCE, clock.instant())).isEmpty();
            await(() -> paused.get() && whole.ledger().leased() == 0);
            assertThat(whole.ledger(A).queued()).isEqualTo(AT_ONCE);
        }
    }
}
