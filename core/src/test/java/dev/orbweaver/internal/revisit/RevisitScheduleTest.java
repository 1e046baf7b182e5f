package dev.orbweaver.internal.revisit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.disk.SimulatedDisk;
import dev.orbweaver.internal.revisit.Observation.Result;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SplittableRandom;

class RevisitScheduleTest {

    private static final Instant START = Instant.parse("2026-11-01T00:00:00Z");
    private static final RevisitSettings AUTO = RevisitSettings.auto(OptionalDouble.empty());

    /** The header of each file; rows and sums follow. */
    private static final int HEADER = 4096;

    /** Position and length of the record of the last change in the header of the pages. */
    private static final int RECORD = 1024;

    private static final int RECORD_LENGTH = 104;

    private static final List<Result> LATER =
            List.copyOf(EnumSet.complementOf(EnumSet.of(Result.NEW)));

    @TempDir Path directory;

    private final Disk disk = new RealDisk();

    private RevisitSchedule open(RevisitSettings settings) throws IOException {
        return RevisitSchedule.open(disk, directory, settings, START);
    }

    private static Instant day(double days) {
        return START.plus(Duration.ofSeconds(Math.round(days * 86_400)));
    }

    private static Observation visit(long line, long first, double days, Result result) {
        return new Observation(
                line, first, first, first % 7, first % 3, day(days), 1, result, Optional.empty());
    }

    private static RevisitExplanation explain(RevisitSchedule schedule, long first, double days) {
        return schedule.explain(first, day(days)).orElseThrow();
    }

    @Test
    void aPageThatChangesIsVisitedMoreOftenThanOneThatDoesNot() throws IOException {
        try (var schedule = open(AUTO)) {
            schedule.observe(visit(0, 0, 0, Result.NEW));
            schedule.observe(visit(1, 1, 0, Result.NEW));
            for (var i = 1; i <= 10; i++) {
                schedule.observe(visit(2L * i, 0, 5 * i, Result.CHANGED));
                schedule.observe(visit(2L * i + 1, 1, 5 * i, Result.BOILERPLATE));
            }
            assertThat(explain(schedule, 0, 50).changesPerDay()).isGreaterThan(0.15);
            assertThat(explain(schedule, 1, 50).changesPerDay()).isLessThan(0.06);
            assertThat(explain(schedule, 0, 50).due().orElseThrow())
                    .isBefore(explain(schedule, 1, 50).due().orElseThrow());
        }
    }

    @Test
    void pagesAreDueWhenTheirTimeHasComeAndNotBefore() throws IOException {
        try (var schedule = open(AUTO)) {
            schedule.observe(visit(0, 0, 0, Result.NEW));
            var due = explain(schedule, 0, 0).due().orElseThrow();
            assertThat(schedule.due(due.minusSeconds(1), 10)).isEmpty();
            assertThat(schedule.due(due, 10)).extracting(Due::first).containsExactly(0L);
        }
    }

    @Test
    void aVisitThatWasAppliedChangesNothing() throws IOException {
        try (var schedule = open(AUTO)) {
            schedule.observe(visit(0, 0, 0, Result.NEW));
            schedule.observe(visit(1, 0, 3, Result.CHANGED));
            var before = content(directory);
            schedule.observe(visit(1, 0, 3, Result.CHANGED));
            schedule.observe(visit(0, 0, 0, Result.NEW));
            assertThat(content(directory)).isEqualTo(before);
        }
    }

    @Test
    void aMissingPageIsGoneWhenADayLaterItIsStillMissing() throws IOException {
        try (var schedule = open(AUTO)) {
            schedule.observe(visit(0, 0, 0, Result.NEW));
            schedule.observe(visit(1, 0, 10, Result.GONE));
            assertThat(explain(schedule, 0, 10).state()).isEqualTo(PageState.MISSING);
            assertThat(explain(schedule, 0, 10).due()).contains(day(11).plusSeconds(1));
            schedule.observe(visit(2, 0, 10.5, Result.GONE));
            assertThat(explain(schedule, 0, 10).state()).isEqualTo(PageState.MISSING);
            schedule.observe(visit(3, 0, 11, Result.GONE));
            assertThat(explain(schedule, 0, 11).state()).isEqualTo(PageState.MISSING);
            schedule.observe(visit(4, 0, 11.001, Result.GONE));
            assertThat(explain(schedule, 0, 11).state()).isEqualTo(PageState.GONE);
            assertThat(explain(schedule, 0, 11).due()).isEmpty();
            assertThat(schedule.due(day(5_000), 10)).isEmpty();
            schedule.observe(visit(5, 0, 20, Result.CHANGED));
            assertThat(explain(schedule, 0, 20).state()).isEqualTo(PageState.PRESENT);
        }
    }

    @Test
    void anUnreachablePageIsVisitedLessAndLessOften() throws IOException {
        try (var schedule = open(AUTO)) {
            schedule.observe(visit(0, 0, 0, Result.NEW));
            schedule.observe(visit(1, 0, 1, Result.NO_RESPONSE));
            assertThat(explain(schedule, 0, 1).due()).contains(day(2));
            schedule.observe(visit(2, 0, 20, Result.NO_RESPONSE));
            assertThat(explain(schedule, 0, 20).due()).contains(day(30));
            assertThat(explain(schedule, 0, 20).state()).isEqualTo(PageState.UNREACHABLE);
        }
    }

    @Test
    void aSignalMakesAPageDueOnlyOnceForTheSameTimeAndOnlyOfItsHost() throws IOException {
        try (var schedule = open(AUTO)) {
            schedule.observe(visit(0, 0, 0, Result.NEW));
            // The host's signals are known to be right.
            for (var i = 1; i <= 40; i++) {
                schedule.signals(List.of(new Signal(0, 0, day(2 * i - 0.5))), day(2 * i));
                schedule.observe(visit(2L * i, 0, 2 * i, Result.CHANGED));
                schedule.observe(visit(2L * i + 1, 0, 2 * i + 1, Result.UNCHANGED));
            }
            assertThat(explain(schedule, 0, 81).precision()).isGreaterThan(0.5);
            var before = explain(schedule, 0, 81).due().orElseThrow();
            schedule.signals(List.of(new Signal(0, 5, day(81.5))), day(82));
            schedule.signals(List.of(new Signal(0, 0, day(81))), day(82));
            assertThat(explain(schedule, 0, 82).signals()).isZero();
            for (var repeated = 0; repeated < 3; repeated++) {
                schedule.signals(List.of(new Signal(0, 0, day(81.5))), day(82));
            }
            assertThat(explain(schedule, 0, 82).signals()).isEqualTo(1);
            assertThat(explain(schedule, 0, 82).due().orElseThrow()).isBefore(before);
            assertThat(explain(schedule, 0, 82).fresh()).isLessThan(0.5);
        }
    }

    @Test
    void theAgeOfAChangeShowsTheRateAtTheFirstVisit() throws IOException {
        try (var schedule = open(AUTO)) {
            schedule.observe(
                    new Observation(
                            0, 0, 0, 0, 0, day(0), 1, Result.NEW, Optional.of(day(-1_000))));
            schedule.observe(
                    new Observation(1, 1, 1, 1, 1, day(0), 1, Result.NEW, Optional.of(day(-0.5))));
            assertThat(explain(schedule, 0, 0).changesPerDay()).isLessThan(0.02);
            assertThat(explain(schedule, 1, 0).changesPerDay()).isGreaterThan(0.1);
        }
    }

    private static Observation visit(
            long line, long first, double days, Result result, Observation.Role role) {
        return visit(line, first, days, result).withRole(role);
    }

    /** A feed with a new entry every hour, beside a page that changes as often. */
    @Test
    void aListThatChangesTooFastToBeFreshIsVisitedStillAndAPageIsNot() throws IOException {
        try (var schedule = open(AUTO)) {
            var line = 0L;
            for (var page = 0; page < 3; page++) {
                schedule.observe(visit(line++, page, 0, Result.NEW, role(page)));
            }
            for (var visit = 1; visit <= 400; visit++) {
                for (var page = 0; page < 3; page++) {
                    schedule.observe(visit(line++, page, visit / 24.0, Result.CHANGED, role(page)));
                }
            }
            var last = 400 / 24.0;
            assertThat(explain(schedule, 0, last).changesPerDay()).isGreaterThan(10);
            assertThat(explain(schedule, 0, last).due().orElseThrow())
                    .isBetween(day(last + 0.1), day(last + 0.5));
            assertThat(explain(schedule, 1, last).due().orElseThrow())
                    .isBetween(day(last + 0.1), day(last + 0.5));
            assertThat(explain(schedule, 2, last).due().orElseThrow()).isAfter(day(last + 80));
            assertThat(explain(schedule, 2, last).sourceInterval()).isEmpty();
            // What was a feed is an HTML page now.
            schedule.observe(visit(line, 0, last + 1, Result.CHANGED));
            assertThat(explain(schedule, 0, last + 1).sourceInterval()).isEmpty();
            assertThat(explain(schedule, 0, last + 1).due().orElseThrow()).isAfter(day(last + 80));
        }
    }

    private static Observation.Role role(int page) {
        return switch (page) {
            case 0 -> Observation.Role.LIST;
            case 1 -> Observation.Role.SEED;
            default -> Observation.Role.PAGE;
        };
    }

    @Test
    void theSeedsOfALongListAreOrdinaryPages() throws IOException {
        try (var schedule = open(AUTO)) {
            for (var page = 0; page < 1_001; page++) {
                schedule.observe(visit(page, page, 0, Result.NEW, Observation.Role.SEED));
            }
            schedule.observe(visit(2_000, 2_000, 0, Result.NEW, Observation.Role.LIST));
            assertThat(explain(schedule, 999, 0).sourceInterval()).isPresent();
            assertThat(explain(schedule, 1_000, 0).sourceInterval()).isEmpty();
            assertThat(explain(schedule, 2_000, 0).sourceInterval()).isPresent();
        }
    }

    @Test
    void aPassOverAllDueTimesContinuesAfterARestart() throws IOException {
        var settings = RevisitSettings.auto(OptionalDouble.of(100));
        var pages = 10_000;
        var before = new Instant[pages];
        try (var schedule = open(settings)) {
            for (var page = 0; page < pages; page++) {
                schedule.observe(visit(page, page, 0, Result.NEW));
            }
            for (var hour = 0; hour <= 9 * 24; hour++) { // The first pass.
                var _ = schedule.due(day(1 + hour / 24.0), 0);
            }
            for (var page = 0; page < pages; page++) {
                before[page] = explain(schedule, page, 10).due().orElseThrow();
            }
            schedule.lambda(0.7 * schedule.lambda());
            for (var hour = 1; hour <= 4 * 24; hour++) {
                var _ = schedule.due(day(10 + hour / 24.0), 0);
            }
        }
        for (var opening = 1; opening <= 4; opening++) { // One day each; a pass takes seven.
            var now = 14 + opening;
            try (var schedule = RevisitSchedule.open(disk, directory, settings, day(now))) {
                for (var hour = 0; hour <= 24; hour++) {
                    var _ = schedule.due(day(now + hour / 24.0), 0);
                }
                if (opening == 4) {
                    for (var page = 0; page < pages; page += 97) {
                        assertThat(explain(schedule, page, now).due().orElseThrow())
                                .as("page %s", page)
                                .isNotEqualTo(before[page]);
                    }
                }
            }
        }
    }

    @Test
    void aSlowHostLeavesRoomForOthers() throws IOException {
        try (var schedule = open(AUTO)) {
            for (var page = 0; page < 3_000; page++) {
                schedule.observe(
                        new Observation(
                                page,
                                page,
                                page,
                                0,
                                page < 2_900 ? 1 : 2,
                                day(page < 2_900 ? 0 : 1),
                                1,
                                Result.NEW,
                                Optional.empty()));
            }
            var due = schedule.due(day(60), 2_000, 200);
            assertThat(due.stream().filter(each -> each.first() < 2_900)).hasSize(200);
            assertThat(due).hasSize(300);
            schedule.offering(due, 1, day(60));
            schedule.offered(due);
            assertThat(schedule.queued()).isEqualTo(300);
            assertThat(schedule.due(day(60), 2_000, 200)).isEmpty();
            for (var each : due.subList(0, 250)) {
                schedule.release(each.first(), day(60));
            }
            assertThat(schedule.queued()).isEqualTo(50);
            assertThat(schedule.due(day(60), 2_000, 200))
                    .hasSizeBetween(150, 200)
                    .allMatch(each -> each.first() < 2_900);
        }
        try (var schedule = open(AUTO)) {
            assertThat(schedule.queued()).isEqualTo(50);
        }
    }

    @Test
    void aPageThatWasDroppedIsNotGoneAndIsDueAgainAfterAnOpening() throws IOException {
        try (var schedule = open(AUTO)) {
            schedule.observe(visit(0, 0, 0, Result.NEW));
            schedule.observe(visit(1, 1, 0, Result.NEW));
            schedule.observe(visit(2, 1, 1, Result.GONE));
            schedule.observe(visit(3, 1, 3, Result.GONE));
            schedule.drop(schedule.due(day(30), 1).getFirst());
            assertThat(schedule.due(day(90), 1)).isEmpty();
            assertThat(schedule.statistics(day(90)).gone()).isEqualTo(1);
        }
        try (var schedule = open(AUTO)) {
            assertThat(schedule.recover(0)).isZero();
            assertThat(schedule.due(day(90), 10)).extracting(Due::first).containsExactly(0L);
        }
    }

    @Test
    void aFixedIntervalIsKeptOldestFirst() throws IOException {
        var settings = RevisitSettings.every(Duration.ofDays(2), OptionalDouble.of(24));
        try (var schedule = open(settings)) {
            for (var page = 0; page < 5; page++) {
                schedule.observe(visit(page, page, page * 0.01, Result.NEW));
            }
            assertThat(schedule.due(day(1.9), 10)).isEmpty();
            assertThat(schedule.due(day(2.5), 10)).extracting(Due::first).containsExactly(0L, 1L);
        }
    }

    @Test
    void theBudgetIsNotSavedForABurst() throws IOException {
        try (var schedule = open(RevisitSettings.auto(OptionalDouble.of(240)))) {
            for (var page = 0; page < 1_000; page++) {
                schedule.observe(visit(page, page, 0, Result.NEW));
            }
            assertThat(schedule.due(day(30), 1_000)).hasSize(1);
            assertThat(schedule.due(day(60), 1_000)).hasSize(20);
        }
    }

    @Test
    void theBudgetIsSpentWhenThereAreMorePagesThanAreHeldInMemory() throws IOException {
        try (var schedule = open(RevisitSettings.auto(OptionalDouble.of(288_000)))) {
            for (var page = 0; page < 240_000; page++) {
                schedule.observe(visit(page, page, 0, Result.NEW));
            }
            assertThat(schedule.due(day(30), 1)).hasSize(1);
            var line = 240_000L;
            for (var hour = 1; hour <= 4; hour++) {
                var time = 30 + hour / 24.0;
                var due = schedule.due(day(time), 240_000);
                assertThat(due).as("hour %s", hour).hasSizeBetween(11_999, 12_001);
                schedule.offering(due, hour, day(time));
                schedule.offered(due);
                for (var each : due) {
                    schedule.observe(visit(line++, each.first(), time, Result.CHANGED));
                }
            }
        }
    }

    @Test
    void aQueuedPageIsNotDueUntilItsVisit() throws IOException {
        try (var schedule = open(AUTO)) {
            schedule.observe(visit(0, 0, 0, Result.NEW));
            var due = schedule.due(day(30), 10);
            assertThat(schedule.due(day(30), 10)).isEqualTo(due);
            schedule.offering(due, 1, day(30));
            schedule.offered(due);
            assertThat(schedule.due(day(90), 10)).isEmpty();
            assertThat(explain(schedule, 0, 90).queued()).isTrue();
            assertThat(schedule.statistics(day(90)).queued()).isEqualTo(1);
            schedule.observe(visit(1, 0, 90, Result.UNCHANGED));
            assertThat(schedule.due(day(180), 10)).hasSize(1);
        }
    }

    @Test
    void aKillBeforeTheFrontiersBatchMakesItsPagesDueAgain() throws IOException {
        offeringInterrupted();
        try (var schedule = open(AUTO)) {
            assertThat(schedule.recover(6)).isEqualTo(1);
            assertThat(schedule.due(day(30), 10)).hasSize(2);
        }
    }

    @Test
    void aKillAfterTheFrontiersBatchLeavesItsPagesQueued() throws IOException {
        offeringInterrupted();
        try (var schedule = open(AUTO)) {
            assertThat(schedule.recover(7)).isEqualTo(1);
            assertThat(schedule.due(day(30), 10)).extracting(Due::first).containsExactly(1L);
            assertThat(schedule.statistics(day(30)).queued()).isEqualTo(1);
        }
    }

    /** The last change before the batch was a visit of the page that is offered. */
    private void offeringInterrupted() throws IOException {
        var schedule = open(AUTO);
        schedule.observe(visit(0, 0, 0, Result.NEW));
        schedule.observe(visit(1, 1, 0, Result.NEW));
        schedule.observe(visit(2, 0, 1, Result.UNCHANGED));
        var due = schedule.due(day(30), 10).stream().filter(each -> each.first() == 0).toList();
        schedule.offering(due, 7, day(30));
        var killed = Files.createDirectories(directory.resolve("killed"));
        for (var name : List.of("pages", "rates")) {
            Files.copy(directory.resolve(name), killed.resolve(name));
        }
        schedule.close();
        for (var name : List.of("pages", "rates")) {
            Files.write(directory.resolve(name), Files.readAllBytes(killed.resolve(name)));
        }
    }

    @Test
    void batchesHaveNumbersThatGrow() throws IOException {
        try (var schedule = open(AUTO)) {
            schedule.offering(List.of(), 3, START);
            assertThatThrownBy(() -> schedule.offering(List.of(), 3, START))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    /**
     * A kill may leave any first part of the record of a change, or the record and any part of what
     * it describes.
     */
    @Test
    void aKillAtAnyMomentLeavesAVisitAppliedOrNot() throws IOException {
        var random = new SplittableRandom(3);
        var schedule = open(AUTO);
        var copy = Files.createDirectories(directory.resolve("copy"));
        for (var line = 0; line < 40; line++) {
            var first = line < 5 ? line : random.nextInt(5);
            var result = line < 5 ? Result.NEW : LATER.get(random.nextInt(LATER.size()));
            var before = content(directory);
            schedule.observe(visit(line, first, line, result));
            var after = content(directory);
            for (var part = 0; part < 8; part++) {
                var torn = copyOf(before);
                copyRange(after[0], torn[0], RECORD, random.nextInt(RECORD_LENGTH));
                assertThat(reopened(copy, torn))
                        .as("torn record, line %s", line)
                        .isIn((Object) state(before), state(after));
                var partly = copyOf(before);
                copyRange(after[0], partly[0], RECORD, RECORD_LENGTH);
                mix(random, after, partly);
                assertThat(reopened(copy, partly)).as("line %s", line).isEqualTo(state(after));
            }
        }
        schedule.close();
    }

    private static byte[][] copyOf(byte[][] files) {
        return new byte[][] {files[0].clone(), files[1].clone()};
    }

    private static void copyRange(byte[] from, byte[] to, int at, int length) {
        System.arraycopy(from, at, to, at, length);
    }

    /** Copies a random choice of the bytes that differ, header fields included. */
    private static void mix(SplittableRandom random, byte[][] from, byte[][] to) {
        for (var file = 0; file < 2; file++) {
            for (var at = 0; at < to[file].length; at++) {
                if (from[file][at] != to[file][at] && random.nextBoolean()) {
                    to[file][at] = from[file][at];
                }
            }
        }
    }

    private static byte[][] content(Path directory) throws IOException {
        return new byte[][] {
            Files.readAllBytes(directory.resolve("pages")),
            Files.readAllBytes(directory.resolve("rates"))
        };
    }

    /** The rows, the sums, and the number of pages. */
    private static List<Integer> state(byte[][] files) {
        return List.of(
                Arrays.hashCode(Arrays.copyOfRange(files[0], HEADER, files[0].length)),
                Arrays.hashCode(Arrays.copyOfRange(files[1], HEADER, files[1].length)),
                (int) files[0][8]);
    }

    private List<Integer> reopened(Path copy, byte[][] files) throws IOException {
        Files.write(copy.resolve("pages"), files[0]);
        Files.write(copy.resolve("rates"), files[1]);
        RevisitSchedule.open(disk, copy, AUTO, START).close();
        return state(content(copy));
    }

    @Test
    void everythingIsThereAfterManyPagesAndARestart() throws IOException {
        try (var schedule = open(AUTO)) {
            for (var page = 0; page < 50_000; page++) {
                schedule.observe(visit(page, page, page * 1e-4, Result.NEW));
            }
            schedule.position(12_345);
        }
        try (var schedule = open(AUTO)) {
            assertThat(schedule.position()).isEqualTo(12_345);
            assertThat(schedule.pages()).isEqualTo(50_000);
            for (var page = 0; page < 50_000; page += 997) {
                assertThat(explain(schedule, page, 5).visited()).isEqualTo(day(page * 1e-4));
            }
            assertThat(schedule.due(day(100), 60_000)).hasSize(50_000);
        }
    }

    @Test
    void aFullDiskChangesNothingAndTheNextVisitIsApplied() throws IOException {
        var simulated = new SimulatedDisk();
        var path = Path.of("revisits");
        try (var schedule = RevisitSchedule.open(simulated, path, AUTO, START)) {
            var page = 0;
            for (; page < 8_192; page++) {
                schedule.observe(visit(page, page, 0, Result.NEW));
            }
            var next = visit(page, page, 0, Result.NEW);
            simulated.failFrom(simulated.operations() + 1);
            assertThatThrownBy(() -> schedule.observe(next)).isInstanceOf(IOException.class);
            assertThat(schedule.pages()).isEqualTo(8_192);
            simulated.failFrom(0);
            schedule.observe(next);
            assertThat(schedule.pages()).isEqualTo(8_193);
        }
    }

    @Test
    void damagedFilesAreBuiltAgainFromThePageLog() throws IOException {
        for (var name : List.of("pages", "rates")) {
            try (var schedule = open(AUTO)) {
                schedule.observe(visit(schedule.pages(), schedule.pages(), 0, Result.NEW));
                schedule.position(77);
            }
            var file = directory.resolve(name);
            Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 100));
            try (var schedule = open(AUTO)) {
                assertThat(schedule.position()).isZero();
                assertThat(schedule.pages()).isZero();
            }
        }
    }

    @Test
    void rowsThatAPowerLossEmptiedAreFound() throws IOException {
        var schedule = open(AUTO);
        for (var page = 0; page < 1_000; page++) {
            schedule.observe(visit(page, page, 0, Result.NEW));
        }
        var lost = content(directory);
        schedule.close();
        Arrays.fill(lost[0], 40_960, 45_056, (byte) 0);
        Files.write(directory.resolve("pages"), lost[0]);
        try (var reopened = open(AUTO)) {
            assertThat(reopened.position()).isZero();
            assertThat(reopened.pages()).isZero();
        }
    }

    @Test
    void aRequestedPageIsDueFirstAndBesideTheBudget() throws IOException {
        try (var schedule = open(RevisitSettings.auto(OptionalDouble.of(24)))) {
            for (var page = 0; page < 100; page++) {
                schedule.observe(visit(page, page, 0, Result.NEW));
            }
            assertThat(schedule.due(day(30), 10)).hasSize(1);
            for (var page = 40; page < 48; page++) {
                assertThat(schedule.request(page, page)).isTrue();
            }
            assertThat(schedule.request(100, 100)).isFalse();
            var due = schedule.due(day(30), 100);
            assertThat(due).hasSize(9);
            assertThat(due.subList(0, 8))
                    .extracting(Due::first)
                    .containsExactlyInAnyOrder(40L, 41L, 42L, 43L, 44L, 45L, 46L, 47L);
            assertThat(schedule.due(day(30), 3)).hasSize(3);
            var lambda = schedule.lambda();
            schedule.offering(due.subList(0, 8), 1, day(30));
            schedule.offered(due);
            assertThat(schedule.lambda()).isEqualTo(lambda);
            assertThat(schedule.statistics(day(30)).usedToday()).isZero();
            assertThat(schedule.due(day(30), 100)).hasSize(1);
        }
    }

    @Test
    void aPageThatIsQueuedOrWasVisitedSinceIsNotRequested() throws IOException {
        try (var schedule = open(AUTO)) {
            schedule.observe(visit(0, 0, 0, Result.NEW));
            schedule.observe(visit(1, 1, 0, Result.NEW));
            schedule.observe(visit(2, 0, 1, Result.UNCHANGED));
            var due = schedule.due(day(30), 10).stream().filter(it -> it.first() == 1).toList();
            schedule.offering(due, 1, day(30));
            schedule.offered(due);
            assertThat(schedule.request(1, 1)).isTrue();
            assertThat(explain(schedule, 1, 30).queued()).isTrue();
            assertThat(schedule.request(0, 0)).isTrue();
            assertThat(explain(schedule, 0, 1).due().orElseThrow()).isAfter(day(1));
            assertThat(schedule.request(0, 2)).isTrue();
            assertThat(explain(schedule, 0, 1).due()).contains(day(1));
            schedule.signals(List.of(new Signal(0, 0, day(1.5))), day(2));
            assertThat(explain(schedule, 0, 2).due()).contains(day(2));
            schedule.observe(visit(3, 0, 2, Result.UNCHANGED));
            assertThat(explain(schedule, 0, 2).due().orElseThrow()).isAfter(day(2));
        }
    }

    @Test
    void aRequestSurvivesAKill() throws IOException {
        var schedule = open(AUTO);
        schedule.observe(visit(0, 0, 0, Result.NEW));
        assertThat(schedule.request(0, 0)).isTrue();
        var killed = content(directory);
        schedule.close();
        Files.write(directory.resolve("pages"), killed[0]);
        Files.write(directory.resolve("rates"), killed[1]);
        try (var reopened = open(AUTO)) {
            assertThat(reopened.due(day(0.001), 10)).hasSize(1);
        }
    }

    private void learned() throws IOException {
        try (var schedule = open(RevisitSettings.auto(OptionalDouble.of(24)))) {
            for (var page = 0; page < 300; page++) {
                schedule.observe(visit(page, page, 0, Result.NEW));
            }
            for (var page = 0; page < 300; page++) {
                schedule.observe(visit(300 + page, page, 9, Result.CHANGED));
            }
            assertThat(schedule.due(day(10), 10)).isNotEmpty();
            schedule.position(600);
        }
    }

    private static void flip(Path file, int at) throws IOException {
        var bytes = Files.readAllBytes(file);
        bytes[at] ^= 0x40;
        Files.write(file, bytes);
    }

    @Test
    void aFlippedByteInAClosedScheduleIsFound() throws IOException {
        learned();
        var good = content(directory);
        var random = new SplittableRandom(5);
        for (var i = 0; i < 60; i++) {
            Files.write(directory.resolve("pages"), good[0]);
            Files.write(directory.resolve("rates"), good[1]);
            var name = i % 4 == 0 ? "rates" : "pages";
            var at = random.nextInt(Files.readAllBytes(directory.resolve(name)).length);
            flip(directory.resolve(name), at);
            try (var schedule = open(AUTO)) {
                assertThat(schedule.position()).as("%s at %s", name, at).isZero();
                assertThat(schedule.pages()).isZero();
            }
        }
    }

    /** A byte that still makes a possible row changes an estimate. */
    @Test
    void noFlippedByteAfterAKillMakesTheScheduleFail() throws IOException {
        learned();
        var good = content(directory);
        var random = new SplittableRandom(6);
        var clean = 72;
        good[0][clean] = 0;
        var settings = RevisitSettings.auto(OptionalDouble.of(24));
        for (var i = 0; i < 300; i++) {
            var bad = copyOf(good);
            var file = i % 4 == 0 ? 1 : 0;
            // Mostly in the header and in the rows of the 300 pages.
            var at =
                    switch (i % 3) {
                        case 0 -> random.nextInt(128);
                        case 1 -> random.nextInt(bad[file].length);
                        // A row without its first number, which is checked by its order.
                        default ->
                                file == 1
                                        ? HEADER + random.nextInt(24 * 7)
                                        : 36_864
                                                + 29 * random.nextInt(300)
                                                + 5
                                                + random.nextInt(24);
                    };
            bad[file][at] ^= (byte) (1 + random.nextInt(255));
            Files.write(directory.resolve("pages"), bad[0]);
            Files.write(directory.resolve("rates"), bad[1]);
            try (var read = RevisitSchedule.read(disk, directory, settings, day(10))) {
                assertThat(read.statistics(day(10)).freshness()).isBetween(0.0, 1.0);
                var _ = read.explain(5, day(10));
            } catch (DamagedScheduleException e) {
                assertThat(e).hasMessageMatching(".*(pages|rates).*");
            }
            try (var schedule = open(settings)) {
                var due = schedule.due(day(12), 20);
                schedule.offering(due, schedule.batch() + 1, day(12));
                schedule.offered(due);
                for (var page = 0; page < 300; page++) {
                    schedule.observe(visit(700 + page, page, 13, Result.CHANGED));
                }
                schedule.signals(List.of(new Signal(3, 0, day(13))), day(14));
                schedule.releaseQueued(day(14));
                assertThat(schedule.statistics(day(14)).freshness()).isBetween(0.0, 1.0);
                assertThat(schedule.lambda()).isFinite();
            }
        }
    }

    @Test
    void anImpossibleRowIsFoundAfterAKill() throws IOException {
        learned();
        var good = content(directory);
        good[0][72] = 0; // Not closed.
        var row = 36_864 + 29 * 250;
        var last = row + 5;
        var days = row + 14;
        var impossible =
                List.of(
                        new int[] {last, 0, 0, 0, 0, 0},
                        new int[] {last, 0xFF, 0xFF, 0, 0, 0},
                        new int[] {days, 0xFF, 0xFF, 0x7F},
                        new int[] {days, 0, 0, 0xC0});
        for (var change : impossible) {
            var bad = copyOf(good);
            for (var i = 1; i < change.length; i++) {
                bad[0][change[0] + i - 1] = (byte) change[i];
            }
            Files.write(directory.resolve("pages"), bad[0]);
            Files.write(directory.resolve("rates"), bad[1]);
            try (var schedule = open(AUTO)) {
                assertThat(schedule.position()).as(Arrays.toString(change)).isZero();
            }
        }
        Files.write(directory.resolve("pages"), good[0]);
        Files.write(directory.resolve("rates"), good[1]);
        try (var schedule = open(AUTO)) {
            assertThat(schedule.position()).isEqualTo(600);
        }
    }
}
