package dev.orbweaver.internal.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.SimulatedDisk;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.model.Fingerprint;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

class DiskSeenSetTest {

    private static final Path DIRECTORY = Path.of("frontier");
    private static final long TABLE_FROM = 50;

    private final SimulatedDisk disk = new SimulatedDisk();
    private final LogCapture warnings = new LogCapture(DiskSeenSet.class);

    @AfterEach
    void listenNoMore() {
        warnings.close();
    }

    private static Fingerprint key(long number) {
        var random = new Random(number);
        return new Fingerprint(random.nextLong(), (short) random.nextInt());
    }

    private static void add(DiskSeenSet seen, long from, long to) {
        for (var i = from; i < to; i++) {
            seen.add(key(i));
        }
    }

    private static List<FrontierEvent> saved(DiskSeenSet seen) throws IOException {
        var events = new ArrayList<FrontierEvent>();
        seen.writeSnapshot(0, events::add);
        return events;
    }

    private static Set<Fingerprint> all(DiskSeenSet seen) {
        var keys = new HashSet<Fingerprint>();
        seen.forEach(key -> assertThat(keys.add(key)).as("%s once", key).isTrue());
        return keys;
    }

    @Test
    void aKeyIsKnownBeforeItsGroupIsCommittedAndAfterwards() {
        var seen = DiskSeenSet.create(disk, DIRECTORY, 0, TABLE_FROM);
        for (var i = 0; i < 2 * TABLE_FROM; i++) {
            assertThat(seen.contains(key(i))).isFalse();
            seen.add(key(i));
            seen.add(key(i));
            assertThat(seen.contains(key(i))).isTrue();
            assertThat(seen.size()).isEqualTo(i + 1);
            seen.commit();
            assertThat(seen.contains(key(i))).isTrue();
            assertThat(seen.size()).isEqualTo(i + 1);
        }
        assertThat(all(seen)).hasSize((int) (2 * TABLE_FROM));
    }

    @Test
    void aKeyThatWasNotCommittedIsNotInTheTable() throws IOException {
        var seen = DiskSeenSet.create(disk, DIRECTORY, 0, TABLE_FROM);
        add(seen, 0, 60);
        seen.commit();
        var fileState = (FrontierEvent.FileState) saved(seen).getFirst();
        add(seen, 60, 70);
        var again = DiskSeenSet.open(disk.afterCrash(), DIRECTORY, 0, TABLE_FROM, fileState);
        again.check();
        assertThat(again.contains(key(59))).isTrue();
        assertThat(again.contains(key(60))).isFalse();
        assertThat(again.size()).isEqualTo(60);
    }

    @Test
    void fewKeysAreSaidWithoutAnyFile() throws IOException {
        var seen = DiskSeenSet.create(disk, DIRECTORY, 0, TABLE_FROM);
        add(seen, 0, TABLE_FROM - 1);
        seen.commit();
        assertThat(saved(seen))
                .singleElement()
                .isInstanceOfSatisfying(
                        FrontierEvent.Seen.class,
                        event -> assertThat(event.keys()).hasSize((int) TABLE_FROM - 1));
        assertThat(disk.list(DIRECTORY)).isEmpty();
    }

    @Test
    void keysOfAnyShapeComeBack() throws IOException {
        var seen = DiskSeenSet.create(disk, DIRECTORY, 0, TABLE_FROM);
        var keys = new HashSet<Fingerprint>();
        for (var part : new long[] {0, 1, 0x7FFF, 0x8000, 0xFFFF}) {
            for (var rest : new long[] {0, 1, 0xFFFF_FFFF_FFFFL}) {
                for (var low : new int[] {0, 1, 0x7FFF, 0x8000, 0xFFFF}) {
                    keys.add(new Fingerprint((part << 48) | rest, (short) low));
                }
            }
        }
        keys.forEach(seen::add);
        seen.commit();
        var fileState = (FrontierEvent.FileState) saved(seen).getFirst();
        for (var withTable : new boolean[] {true, false}) {
            var copy = disk.afterCrash();
            if (!withTable) {
                copy.delete(DiskSeenSet.tableFile(DIRECTORY, 0));
            }
            var again = DiskSeenSet.open(copy, DIRECTORY, 0, TABLE_FROM, fileState);
            again.check();
            assertThat(warnings.messages()).isEmpty();
            assertThat(all(again)).isEqualTo(keys);
            assertThat(keys).allMatch(again::contains);
            assertThat(again.size()).isEqualTo(keys.size());
        }
    }

    @Test
    void keysForWhichARowHasNoRoomAreNotForgotten() throws IOException {
        var seen = DiskSeenSet.create(disk, DIRECTORY, 0, TABLE_FROM);
        for (var i = 0; i < 60; i++) {
            seen.add(new Fingerprint(0x1234L << 48 | i, (short) 7)); // All of one part.
        }
        seen.commit();
        for (var i = 0; i < 60; i++) {
            assertThat(seen.contains(new Fingerprint(0x1234L << 48 | i, (short) 7))).isTrue();
        }
        var fileState = (FrontierEvent.FileState) saved(seen).getFirst();
        var again = DiskSeenSet.open(disk.afterCrash(), DIRECTORY, 0, TABLE_FROM, fileState);
        again.check();
        assertThat(warnings.messages()).isEmpty();
        assertThat(all(again)).hasSize(60);
        assertThat(again.contains(new Fingerprint(0x1234L << 48 | 59, (short) 7))).isTrue();
    }

    @Test
    void aDiskThatIsFullIsWaitedForWithEveryKeyKnown() throws IOException {
        var seen = DiskSeenSet.create(disk, DIRECTORY, 0, TABLE_FROM);
        disk.failFrom(disk.operations() + 1);
        add(seen, 0, 100);
        seen.commit();
        assertThat(seen.contains(key(99))).isTrue();
        disk.failFrom(0);
        add(seen, 100, 110); // It does not try at every commit.
        seen.commit();
        var fileState = (FrontierEvent.FileState) saved(seen).getFirst();
        var again = DiskSeenSet.open(disk.afterCrash(), DIRECTORY, 0, TABLE_FROM, fileState);
        again.check();
        assertThat(all(again)).hasSize(110);
    }
}
