package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.server.JobHistory.Point;
import dev.orbweaver.server.JobHistory.Responses;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

class JobHistoryTest {

    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

    @TempDir Path directory;

    private static Point point(int second, int responses) {
        return new Point(
                START.plusSeconds(second),
                10L * second,
                0,
                5,
                100L * second,
                10,
                Optional.of(20),
                Optional.of(second % 7),
                second % 3,
                new Responses(responses, 0, 0, 0, 0));
    }

    private static long sum(JobHistory.Chart chart) {
        return chart.points().stream().mapToLong(point -> point.responses().ok()).sum();
    }

    @Test
    void thePointsOfHoursAreBoundedAndLoseNoResponse() {
        var history = new JobHistory(directory);
        var seconds = 3 * 60 * 60;
        for (var i = 1; i <= seconds; i++) {
            history.add(point(i, i % 4));
        }
        var chart = history.chart();
        assertThat(chart.points()).hasSizeBetween(850, 2 * JobHistory.POINTS_MAX + 1);
        assertThat(sum(chart)).isEqualTo(seconds / 4 * 6L);
        assertThat(chart.points().getLast().pages()).isEqualTo(10L * seconds);
        assertThat(chart.points()).allMatch(point -> point.rate() == 10);
        assertThat(chart.points().stream().map(Point::time)).isSorted();
        var first = chart.points().get(0).time();
        var second = chart.points().get(1).time();
        assertThat(second.toEpochMilli() - first.toEpochMilli()).isEqualTo(chart.intervalMs());
        assertThat(chart.intervalMs()).isGreaterThan(10_000);
        var lastMinute = START.plusSeconds(seconds - 60);
        assertThat(chart.points())
                .filteredOn(point -> point.time().isAfter(lastMinute))
                .hasSize(60);
    }

    @Test
    void aHistoryContinuesAfterARestart() {
        var history = new JobHistory(directory);
        for (var i = 1; i <= 2_000; i++) {
            history.add(point(i, 1));
        }
        assertThat(history.highest(0.5)).isEqualTo(0.5);
        history.endRun(false);
        var reopened = new JobHistory(directory);
        assertThat(reopened.chart()).isEqualTo(history.chart());
        assertThat(reopened.highest(0.25)).isEqualTo(0.5);
        reopened.add(point(2_001, 1));
        assertThat(sum(reopened.chart())).isEqualTo(2_001);
        reopened.endRun(true);
        assertThat(new JobHistory(directory).highest(0.25)).isEqualTo(0.25);
    }

    @Test
    void aDamagedHistoryBeginsAgain() throws Exception {
        var history = new JobHistory(directory);
        history.add(point(1, 1));
        history.endRun(false);
        var file = directory.resolve(DirectoryLayout.HISTORY);
        Files.writeString(file, Files.readString(file).replace("\"pages\":10", "\"pages\":11"));
        assertThat(new JobHistory(directory).chart().points()).isEmpty();
    }
}
