package dev.orbweaver.internal.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.disk.SimulatedDisk;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** A sample of {@code bench/run damage}: random positions, from a seed that is printed. */
@Slow
class FrontierDamageTest {

    private static final String LOG = "seen-0.log";
    private static final String TABLE = "seen-0.table";
    private static final int PLACES = 30;
    private static final byte[] GONE = {};

    private static FrontierDamage damage;
    private static byte[] table;
    private static byte[] log;

    @BeforeAll
    static void writeADirectory() throws IOException {
        damage = new FrontierDamage(11, 1 << 14, 9);
        table = damage.directory().copy().read(DamagedDirectory.DIRECTORY.resolve(TABLE));
        log = damage.directory().copy().read(DamagedDirectory.DIRECTORY.resolve(LOG));
    }

    @AfterAll
    static void listenNoMore() {
        damage.close();
    }

    @Test
    void filesOfEveryKindAreThere() {
        assertThat(damage.files().stream().map(FrontierDamage::kind).distinct())
                .containsExactlyInAnyOrder(
                        "dead",
                        "fingerprint-key",
                        "journal",
                        "seen.log",
                        "seen.table",
                        "segment",
                        "segment.index",
                        "snapshot");
    }

    @Test
    void anUndamagedCopyIsWhatItWas() throws IOException {
        assertThat(damage.open(Map.of())).isEqualTo(damage.directory().last());
        assertThat(damage.said()).isEmpty();
    }

    @Test
    void whateverFileIsDamagedNothingAcknowledgedBeforeIsLostUnsaid() throws IOException {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        for (var file : damage.files()) {
            damage.somewhere(file, PLACES, random);
        }
        assertThat(damage.wrong()).as("wrong with seed %d", seed).isEmpty();
        assertThat(damage.of("journal").opened).isGreaterThanOrEqualTo(PLACES);
        assertThat(damage.of("journal").refused).isPositive();
        assertThat(damage.of("seen.log").opened).isGreaterThan(PLACES);
        assertThat(damage.of("dead").refused).isPositive();
        assertThat(damage.of("segment.index").opened).isZero();
        assertThat(damage.of("segment.index").refused).isPositive();
        assertThat(damage.of("segment").refused).isPositive();
    }

    @Test
    void theLastByteOfEveryAppendOnlyFileCounts() throws IOException {
        for (var file : damage.files()) {
            if (file.matches("journal-.*|seen-.*log")) {
                var bytes =
                        damage.directory().copy().read(DamagedDirectory.DIRECTORY.resolve(file));
                var _ = damage.open(Map.of(file, Arrays.copyOf(bytes, bytes.length - 1)));
                assertThat(damage.said()).as("said of %s", file).isNotEmpty();
            }
        }
    }

    private static void expectTableMadeAgain(byte[] other) throws IOException {
        assertThat(damage.open(Map.of(TABLE, other))).isEqualTo(damage.directory().last());
        assertThat(damage.said()).as("what was said of the table").isNotEmpty();
    }

    private static byte[] changed(byte[] bytes, int at, byte value) {
        var copy = bytes.clone();
        copy[at] = value;
        return copy;
    }

    @Test
    void aTableThatIsNotWhatItsLogSaysIsMadeAgain() throws IOException {
        var used = IntStream.range(4096, table.length).filter(at -> table[at] != 0).findFirst();
        var empty =
                IntStream.iterate(4096, at -> at + 8)
                        .filter(at -> Arrays.equals(table, at, at + 8, new byte[8], 0, 8))
                        .findFirst();
        var slot = used.getAsInt() / 8 * 8;
        var oneLess = table.clone();
        Arrays.fill(oneLess, slot, slot + 8, (byte) 0);
        expectTableMadeAgain(oneLess);
        expectTableMadeAgain(changed(table, empty.getAsInt(), (byte) 1));
        var garbage = new byte[table.length];
        new Random(3).nextBytes(garbage);
        expectTableMadeAgain(garbage);
        expectTableMadeAgain(Arrays.copyOf(table, table.length - 8));
        expectTableMadeAgain(Arrays.copyOf(table, table.length + 8));
        expectTableMadeAgain(changed(table, 0, (byte) 'X'));
        expectTableMadeAgain(changed(table, 8, (byte) 9));
        expectTableMadeAgain(new byte[] {1});
        expectTableMadeAgain(new byte[table.length]);
    }

    @Test
    void aTableThatIsGoneIsMadeAgain() throws IOException {
        assertThat(damage.open(Map.of(TABLE, GONE))).isEqualTo(damage.directory().last());
    }

    @Test
    void aLogThatIsGoneIsMadeAgainFromItsTable() throws IOException {
        assertThat(damage.open(Map.of(LOG, GONE))).isEqualTo(damage.directory().last());
        assertThat(damage.said()).anyMatch(line -> line.contains("rebuilding it from its table"));
    }

    @Test
    void keysThatAreNeitherInLogNorTableAreMissedWithASentence() {
        var flipped = changed(log, log.length / 2, (byte) ~log[log.length / 2]);
        expectLost(Map.of(LOG, flipped, TABLE, GONE));
        expectLost(Map.of(LOG, flipped, TABLE, changed(table, 4096, (byte) (table[4096] + 1))));
        expectLost(Map.of(LOG, Arrays.copyOf(log, 20), TABLE, new byte[table.length]));
        expectLost(Map.of(LOG, GONE, TABLE, GONE));
    }

    private static void expectLost(Map<String, byte[]> replaced) {
        assertThatThrownBy(() -> damage.open(replaced))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(
                        "seen-0.log and its table are damaged: rebuild it with the command"
                                + " 'orbweaver repair");
    }

    @Test
    void aLogMadeAgainIsOneFromWhichATableCanBeMade() throws IOException {
        var disk = damage.directory().copy();
        disk.put(DamagedDirectory.DIRECTORY.resolve(LOG), Arrays.copyOf(log, 30));
        var now = DamagedDirectory.START.plusSeconds(4000);
        open(disk, now).close(); // Leaves a snapshot that names the rebuilt log.
        var ledger = open(disk, now).ledger();
        disk.delete(DamagedDirectory.DIRECTORY.resolve(TABLE));
        assertThat(open(disk.afterCrash(), now).ledger()).isEqualTo(ledger);
    }

    private static TestFrontier open(SimulatedDisk disk, Instant now) throws IOException {
        return TestFrontier.open(
                disk,
                DamagedDirectory.DIRECTORY,
                DamagedDirectory.POLITENESS,
                damage.directory().settings(),
                now);
    }
}
