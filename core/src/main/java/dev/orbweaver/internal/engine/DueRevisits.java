package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.revisit.RevisitSchedule;
import dev.orbweaver.internal.sink.PageLogEntry;

import java.time.Instant;
import java.util.function.Predicate;

/** Which pages are due by the schedule of a crawl. */
public final class DueRevisits implements Predicate<PageLogEntry>, AutoCloseable {

    private final RevisitSchedule schedule;
    private final Instant now;

    DueRevisits(RevisitSchedule schedule, Instant now) {
        this.schedule = schedule;
        this.now = now;
    }

    @Override
    public boolean test(PageLogEntry entry) {
        return schedule.explain(entry.firstLine(), now)
                .flatMap(page -> page.due())
                .filter(due -> !due.isAfter(now))
                .isPresent();
    }

    @Override
    public void close() {
        schedule.close();
    }
}
