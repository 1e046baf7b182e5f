package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.jobs.JobRecord.Change;
import dev.orbweaver.internal.jobs.JobRecord.State;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Random;

/** Compares computed event ids with a list of all events in order. */
class EventIdsTest {

    private static Change change(long seq) {
        return new Change(seq, State.RUNNING, "", Instant.EPOCH);
    }

    @Test
    void idsIncreaseByOneInTheOrderOfEvents() {
        for (var seed = 0; seed < 200; seed++) {
            var random = new Random(seed);
            var changes = new ArrayList<Change>();
            var numbers = new ArrayList<Long>();
            var seqs = new ArrayList<Long>();
            var counts = new ArrayList<Integer>();
            var lines = random.nextInt(30);
            for (var line = 0L; line <= lines; line++) {
                if (line > 0) {
                    numbers.add(line); // Its id is computed when all changes are known.
                    seqs.add(line);
                    counts.add(changes.size());
                }
                while (random.nextInt(3) == 0) {
                    changes.add(change(line));
                    numbers.add(-(long) changes.size());
                    seqs.add(line);
                    counts.add(changes.size());
                }
            }
            var ids = new EventIds(changes, 0);
            for (var i = 0; i < numbers.size(); i++) {
                var number = numbers.get(i);
                var id = number > 0 ? ids.ofLine(number) : ids.ofChange((int) -number - 1);
                assertThat(id).as("seed %d, event %d", seed, i).isEqualTo(i + 1L);
                assertThat(ids.replayStart(id))
                        .as("seed %d, event %d", seed, i)
                        .isEqualTo(new EventIds.ReplayStart(seqs.get(i), counts.get(i)));
            }
            assertThat(ids.lastId(lines)).isEqualTo(numbers.size());
        }
    }

    @Test
    void droppedChangesStillCount() {
        var ids = new EventIds(java.util.List.of(change(10)), 500);
        assertThat(ids.ofChange(0)).isEqualTo(511);
        assertThat(ids.ofLine(11)).isEqualTo(512);
        assertThat(ids.replayStart(3).changes()).isEqualTo(-1);
    }

    @Test
    void aClientOlderThanTheKeptChangesIsReset() {
        // Lines 1 to 10, two changes after line 4 of which the first is dropped, one after line 10.
        var ids = new EventIds(java.util.List.of(change(4), change(10)), 1);
        assertThat(ids.replayStart(2).changes()).as("line 2, before both").isEqualTo(-1);
        assertThat(ids.replayStart(4).changes()).as("line 4, before both").isEqualTo(-1);
        assertThat(ids.replayStart(5))
                .as("the dropped change")
                .isEqualTo(new EventIds.ReplayStart(4, 0));
        assertThat(ids.replayStart(6))
                .as("the first kept change")
                .isEqualTo(new EventIds.ReplayStart(4, 1));
        assertThat(ids.replayStart(7)).as("line 5").isEqualTo(new EventIds.ReplayStart(5, 1));
    }
}
