package dev.orbweaver.internal.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.disk.SimulatedDisk;
import dev.orbweaver.internal.frontier.UrlRecordBuffer;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/** Segments, and the merge of several into one. */
class SegmentMergeTest {

    private static final Path DIRECTORY = Path.of("frontier");

    private final SimulatedDisk disk = new SimulatedDisk();

    private static UrlRecordBuffer slip(String text) {
        var slip = new UrlRecordBuffer();
        slip.text = text.getBytes(StandardCharsets.US_ASCII);
        slip.length = slip.text.length;
        return slip;
    }

    /** In these tests a key is four times the queue plus the rank. */
    private static int queueOf(int key) {
        return key >> 2;
    }

    private static int rankOf(int key) {
        return key & 3;
    }

    private static int segmentKey(int key) {
        return Segment.key(queueOf(key), rankOf(key));
    }

    private static int testKey(int segmentKey) {
        return 4 * Segment.queueOf(segmentKey) + Segment.rankOf(segmentKey);
    }

    /** Returns the counts of taken URLs by key; -1 for a removed queue. */
    private static TakenUrls taken(int[] counts) {
        var taken = new TakenUrls();
        for (var key = 0; key < counts.length; key++) {
            if (counts[key] < 0) {
                taken.onRemoved(queueOf(key));
            } else {
                taken.onTaken(queueOf(key), rankOf(key), counts[key]);
            }
        }
        return taken;
    }

    /** Writes a segment with this many URLs for each key, numbered consecutively. */
    private void write(long number, Map<Integer, List<String>> all, int... keysAndCounts)
            throws IOException {
        try (var writer = new SegmentWriter(disk, Segment.file(DIRECTORY, number))) {
            for (var i = 0; i < keysAndCounts.length; i += 2) {
                var key = keysAndCounts[i];
                var urls = all.computeIfAbsent(key, _ -> new ArrayList<>());
                for (var left = keysAndCounts[i + 1]; left > 0; left--) {
                    var text = "http://q%d.example/%d".formatted(key, urls.size());
                    urls.add(text);
                    writer.add(queueOf(key), rankOf(key), slip(text));
                }
            }
            writer.finish();
        }
    }

    private static List<String> of(Map<Integer, List<String>> all, int key) {
        return all.getOrDefault(key, List.of());
    }

    private static List<String> read(DiskSegmentStore diskSegmentStore, int key, int count) {
        var texts = new ArrayList<String>();
        var slip = new UrlRecordBuffer();
        for (var i = 0; i < count; i++) {
            diskSegmentStore.read(queueOf(key), rankOf(key), i, slip);
            texts.add(slip.textAsString());
        }
        return texts;
    }

    @Test
    void everyKeyOfASegmentIsFoundAndNoOther() throws IOException {
        var all = new TreeMap<Integer, List<String>>();
        write(1, all, 0, 1, 3, 70, 8, 1, 9, 200, 4001, 2);
        try (var segment = Segment.open(disk, DIRECTORY, 1)) {
            assertThat(segment.urls).isEqualTo(274);
            for (var key = 0; key < 4100; key++) {
                var entry = segment.find(segmentKey(key));
                if (all.containsKey(key)) {
                    assertThat(segment.key(entry)).isEqualTo(segmentKey(key));
                    assertThat(segment.count(entry)).isEqualTo(all.get(key).size());
                } else {
                    assertThat(entry).as("entry of key %d", key).isEqualTo(-1);
                }
            }
        }
    }

    @Test
    void aSegmentWithoutUrlsIsOneToo() throws IOException {
        write(1, new TreeMap<>());
        try (var segment = Segment.open(disk, DIRECTORY, 1)) {
            assertThat(segment.entries).isZero();
            assertThat(segment.find(0)).isEqualTo(-1);
        }
    }

    @Test
    void urlsOutOfOrderAreAMistake() {
        assertThatThrownBy(() -> write(1, new TreeMap<>(), 8, 1, 7, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("out of order: 35 after 64");
    }

    @Test
    void aPositionIsFoundInWhateverSegmentItLies() throws IOException {
        var all = new TreeMap<Integer, List<String>>();
        write(1, all, 4, 100, 5, 3);
        write(2, all, 5, 1);
        write(3, all, 4, 65, 5, 2, 6, 1);
        try (var diskSegmentStore = shelves(1, 2, 3)) {
            all.forEach(
                    (key, texts) ->
                            assertThat(read(diskSegmentStore, key, texts.size())).isEqualTo(texts));
            var random = new Random(1);
            var slip = new UrlRecordBuffer();
            for (var i = 0; i < 2000; i++) {
                var key = 4 + random.nextInt(3);
                var position = random.nextInt(of(all, key).size());
                diskSegmentStore.read(queueOf(key), rankOf(key), position, slip);
                assertThat(slip.textAsString()).isEqualTo(of(all, key).get(position));
            }
            assertThatThrownBy(() -> diskSegmentStore.read(1, 0, 165, slip))
                    .hasMessageContaining("no segment has URL 165");
        }
    }

    private DiskSegmentStore shelves(long... numbers) throws IOException {
        var diskSegmentStore = new DiskSegmentStore(disk, DIRECTORY);
        for (var number : numbers) {
            diskSegmentStore.add(number, 1_000_000);
        }
        return diskSegmentStore;
    }

    /**
     * The new segment's URLs by key, and the reported drops, must equal those of a simple
     * computation.
     */
    private void expectMerge(
            DiskSegmentStore diskSegmentStore,
            int from,
            int to,
            int[] taken,
            SortedMap<Integer, List<String>> expected)
            throws IOException {
        var segmentMerge = SegmentMerge.of(diskSegmentStore, new int[] {from, to}, taken(taken));
        assertThat(segmentMerge.run(diskSegmentStore)).isTrue();
        try (var merged = Segment.open(disk, DIRECTORY, segmentMerge.number());
                var alone = new DiskSegmentStore(disk, DIRECTORY)) {
            alone.add(segmentMerge.number(), 0);
            var keys = new ArrayList<Integer>();
            for (var entry = 0; entry < merged.entries; entry++) {
                var key = testKey(merged.key(entry));
                keys.add(key);
                assertThat(read(alone, key, merged.count(entry)))
                        .as("URLs of key %d", key)
                        .isEqualTo(expected.get(key));
            }
            assertThat(keys).containsExactlyElementsOf(expected.keySet());
            assertThat(merged.urls).isEqualTo(segmentMerge.urls());
        }
    }

    @Test
    void aMergeLeavesOutWhatWasTakenAndWhoseQueueIsGoneAndKeepsTheOrder() throws IOException {
        var all = new TreeMap<Integer, List<String>>();
        write(1, all, 0, 150, 4, 10, 8, 5, 9, 3);
        write(2, all, 0, 1, 5, 7, 8, 90);
        write(3, all, 0, 100, 4, 2, 12, 1);
        var taken = new int[16];
        taken[0] = 70; // Within a run of the first segment.
        taken[4] = 11; // All of the first, one of the third.
        taken[5] = 7; // All there are.
        Arrays.fill(taken, 8, 12, -1); // The queue was removed.
        var expected = new TreeMap<Integer, List<String>>();
        expected.put(0, of(all, 0).subList(70, 251));
        expected.put(4, of(all, 4).subList(11, 12));
        expected.put(12, of(all, 12));
        try (var diskSegmentStore = shelves(1, 2, 3)) {
            expectMerge(diskSegmentStore, 0, 3, taken, expected);
            var segmentMerge = SegmentMerge.of(diskSegmentStore, new int[] {0, 3}, taken(taken));
            assertThat(segmentMerge.run(diskSegmentStore)).isTrue();
            var dropped = new TreeMap<Integer, Integer>();
            segmentMerge.forEachDropped(
                    (queue, rank, count) -> dropped.put(4 * queue + rank, count));
            assertThat(dropped).containsOnlyKeys(0, 4, 5).containsEntry(0, 70).containsEntry(4, 11);
        }
    }

    @Test
    void whatWasTakenFromOlderSegmentsIsNotTakenFromTheseToo() throws IOException {
        var all = new TreeMap<Integer, List<String>>();
        write(1, all, 0, 50, 4, 10);
        write(2, all, 0, 30, 4, 10);
        write(3, all, 0, 30);
        var taken = new int[] {60, 0, 0, 0, 5, 0, 0, 0};
        var expected = new TreeMap<Integer, List<String>>();
        expected.put(0, of(all, 0).subList(60, 110));
        expected.put(4, of(all, 4).subList(10, 20));
        try (var diskSegmentStore = shelves(1, 2, 3)) {
            expectMerge(diskSegmentStore, 1, 3, taken, expected);
        }
    }

    @Test
    void aQueueThatCameAfterTheMergeWasPlannedLosesNothing() throws IOException {
        var all = new TreeMap<Integer, List<String>>();
        write(1, all, 0, 2);
        write(2, all, 0, 1, 400, 3);
        try (var diskSegmentStore = shelves(1, 2)) {
            expectMerge(diskSegmentStore, 0, 2, new int[] {0, 0, 0, 0}, all);
        }
    }

    @Test
    void aMergeThatIsCancelledHasNoResult() throws IOException {
        write(1, new TreeMap<>(), 0, 2);
        try (var diskSegmentStore = shelves(1)) {
            var segmentMerge =
                    SegmentMerge.of(diskSegmentStore, new int[] {0, 1}, taken(new int[4]));
            segmentMerge.cancel();
            assertThat(segmentMerge.run(diskSegmentStore)).isFalse();
        }
    }

    @Test
    void eightOfASizeAreMergedAndEmptyOnesAtOnce() throws IOException {
        for (var number = 1; number <= 8; number++) {
            write(number, new TreeMap<>(), 0, number);
        }
        try (var diskSegmentStore = shelves(1, 2, 3, 4, 5, 6, 7)) {
            assertThat(SegmentMerge.plan(diskSegmentStore.segments())).isEmpty();
            diskSegmentStore.add(8, 8);
            assertThat(SegmentMerge.plan(diskSegmentStore.segments())).containsExactly(0, 8);
            diskSegmentStore.segments().get(3).remaining = 0;
            assertThat(SegmentMerge.plan(diskSegmentStore.segments())).containsExactly(3, 4);
        }
    }
}
