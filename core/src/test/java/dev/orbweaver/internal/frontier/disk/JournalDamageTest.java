package dev.orbweaver.internal.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.disk.SimulatedDisk;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.SeededFrontierCalls;
import dev.orbweaver.internal.frontier.Workbench;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/** A damaged journal restores everything before the damage; a damaged snapshot is rejected. */
@Slow
class JournalDamageTest {

    private static final Politeness POLITENESS = Politeness.DEFAULT;
    private static final Path DIRECTORY = FrontierDirectory.DIRECTORY;
    private static final Path JOURNAL = DIRECTORY.resolve("journal-0");
    private static final Path KEY = DIRECTORY.resolve(FingerprintKeyFile.NAME);
    private static final Path SNAPSHOT = DIRECTORY.resolve("snapshot-1");
    private static final int DAMAGED_BYTES = 3000;
    private static final long ROTATE_FROM = 1L << 30;

    private final LogCapture warnings = new LogCapture();

    /** The state at each length of the journal between two calls. */
    private final TreeMap<Integer, List<FrontierEvent>> stateAt = new TreeMap<>();

    private byte[] whole = new byte[0];
    private byte[] key = new byte[0];

    @BeforeEach
    void writeAJournal() throws IOException {
        var disk = new SimulatedDisk();
        var directory = open(disk);
        var script = new SeededFrontierCalls(7, Fixture.START);
        for (var i = 0; i < 120; i++) {
            script.call(directory.frontier());
            stateAt.put((int) disk.length(JOURNAL), directory.state());
        }
        whole = disk.read(JOURNAL);
        key = disk.read(KEY);
        assertThat(whole.length).isGreaterThan(DAMAGED_BYTES + 100);
    }

    @AfterEach
    void listenNoMore() {
        warnings.close();
    }

    private SimulatedDisk withKey() {
        var disk = new SimulatedDisk();
        disk.put(KEY, key);
        return disk;
    }

    private static FrontierDirectory open(SimulatedDisk disk) {
        return new FrontierDirectory(disk, POLITENESS, Fixture.START, ROTATE_FROM);
    }

    private void expectAllBefore(int damage, byte[] journal) throws IOException {
        var disk = withKey();
        disk.put(JOURNAL, journal);
        var good = stateAt.floorEntry(damage);
        assertThat(FrontierDirectory.saved(disk, POLITENESS))
                .as("state with damage at byte %d", damage)
                .isEqualTo(good.getValue());
        warnings.messages().clear();
        var settings = DiskSettings.DEFAULT.withSmallFiles(ROTATE_FROM);
        var store = new DiskStore(disk, DIRECTORY, settings);
        var bench = new Workbench(POLITENESS, store);
        var _ = Journal.open(disk, DIRECTORY, settings, store, bench);
        assertThat(disk.length(JOURNAL)).isEqualTo((long) good.getKey());
        assertThat(FrontierDirectory.stateOf(bench)).isEqualTo(good.getValue());
        if (journal.length > good.getKey()) {
            var cut = journal.length - good.getKey();
            assertThat(warnings.messages())
                    .singleElement()
                    .asString()
                    .contains("truncated " + cut + " bytes of an incomplete frame", "journal-0");
        }
    }

    @Test
    void aJournalCutAtAnyByteKeepsEveryWholeFrame() throws IOException {
        for (var length = whole.length - DAMAGED_BYTES; length < whole.length; length++) {
            expectAllBefore(length, Arrays.copyOf(whole, length));
        }
    }

    @Test
    void aBitFlippedInTheLastFrameIsATornEnd() throws IOException {
        for (var at = lastFrame(); at < whole.length; at++) {
            expectAllBefore(at, flipped(at));
        }
    }

    @Test
    void aBitFlippedBeforeTheLastFrameIsDamageThatIsRefusedAndLeftAsItIs() throws IOException {
        for (var at = 8; at < lastFrame(); at++) {
            var disk = withKey();
            disk.put(JOURNAL, flipped(at));
            expectRefusal(disk, "rebuild it with the command 'orbweaver repair");
            assertThat(disk.length(JOURNAL)).isEqualTo(whole.length);
        }
    }

    @Test
    void twoBadFramesAtTheEndAreNotATornEnd() {
        var journal = flipped(whole.length - 1);
        journal[stateAt.lowerKey(lastFrame()) + Frames.FRAME_HEAD] ^= 1;
        var disk = withKey();
        disk.put(JOURNAL, journal);
        expectRefusal(disk, "with more frames after it");
    }

    @Test
    void aFrameThatIsMissingOrThereTwiceIsDamage() {
        var from = stateAt.floorKey(whole.length / 2);
        var to = stateAt.higherKey(from);
        var missing = Arrays.copyOf(whole, whole.length - (to - from));
        System.arraycopy(whole, to, missing, from, whole.length - to);
        var twice = Arrays.copyOf(whole, whole.length + (to - from));
        System.arraycopy(whole, from, twice, to, whole.length - from);
        for (var journal : List.of(missing, twice)) {
            var disk = withKey();
            disk.put(JOURNAL, journal);
            expectRefusal(disk, "rebuild it with the command 'orbweaver repair");
        }
    }

    private int lastFrame() {
        return stateAt.lowerKey(whole.length);
    }

    private byte[] flipped(int at) {
        var journal = whole.clone();
        journal[at] ^= (byte) (1 << (at % 8));
        return journal;
    }

    @Test
    void aJournalThatEndsInZeroesIsCutThere() throws IOException {
        expectAllBefore(whole.length, Arrays.copyOf(whole, whole.length + 4096));
    }

    @Test
    void aJournalWhoseHeaderWasNotFinishedIsBegunAnew() throws IOException {
        for (var length = 0; length < 8; length++) {
            var disk = withKey();
            disk.put(JOURNAL, Arrays.copyOf(whole, length));
            assertThat(open(disk).frontier().stats().ledger().offered()).isZero();
            assertThat(disk.length(JOURNAL)).isEqualTo(8);
        }
    }

    @Test
    void aSnapshotDamagedAnywhereIsRefusedWithASentence() throws IOException {
        var disk = withKey();
        disk.put(JOURNAL, whole);
        open(disk).frontier().close();
        var snapshot = disk.read(SNAPSHOT);
        for (var length = 0; length < snapshot.length; length++) {
            disk.put(SNAPSHOT, Arrays.copyOf(snapshot, length));
            expectRefusal(disk, "snapshot-1 is damaged at byte");
        }
        for (var at = 8; at < snapshot.length; at++) {
            var damaged = snapshot.clone();
            damaged[at] ^= (byte) (1 << (at % 8));
            disk.put(SNAPSHOT, damaged);
            expectRefusal(disk, "rebuild it with the command 'orbweaver repair");
        }
    }

    @Test
    void aSnapshotCutBetweenTwoFramesIsRefused() throws IOException {
        var disk = withKey();
        disk.put(JOURNAL, whole);
        open(disk).frontier().close();
        var snapshot = disk.read(SNAPSHOT);
        // A valid frame after which the rest is missing: its checksum is right, but the file is
        // incomplete.
        var frame = new EventWriter().reserve(Frames.FRAME_HEAD);
        frame.write(new FrontierEvent.Duplicates(0, 1));
        var bytes = Frames.seal(frame, 0);
        var cut = Arrays.copyOf(snapshot, 8 + bytes.remaining());
        bytes.get(cut, 8, bytes.remaining());
        disk.put(SNAPSHOT, cut);
        expectRefusal(disk, "is damaged");
    }

    @Test
    void aJournalWhoseSnapshotIsGoneIsRefusedAndKept() throws IOException {
        var disk = withKey();
        disk.put(JOURNAL, whole);
        open(disk).frontier().close();
        disk.delete(SNAPSHOT);
        expectRefusal(disk, "continues a snapshot that is missing");
        assertThat(disk.exists(DIRECTORY.resolve("journal-1"))).isTrue();
    }

    @Test
    void anotherVersionIsRefusedWithASentence() {
        var disk = withKey();
        var journal = whole.clone();
        journal[7] = 9;
        disk.put(JOURNAL, journal);
        expectRefusal(
                disk,
                "journal-0 has a damaged header: rebuild it with the command 'orbweaver repair");
    }

    @Test
    void aForeignFileIsRefusedWithASentence() throws IOException {
        var disk = withKey();
        disk.put(JOURNAL, new byte[] {'P', 'K', 3, 4});
        expectRefusal(disk, "journal-0 is not an Orbweaver frontier file");
        assertThat(disk.length(JOURNAL)).isEqualTo(4);
    }

    private static void expectRefusal(SimulatedDisk disk, String sentence) {
        assertThatThrownBy(() -> open(disk)).hasMessageContaining(sentence);
    }
}
