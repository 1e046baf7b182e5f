package dev.orbweaver.internal.revisit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

class InlinkSketchTest {

    private static final int URLS = 100_000;

    @TempDir Path directory;

    /** Returns the hash of a URL. */
    private static long hash(long url) {
        return new SplittableRandom(url).nextLong();
    }

    @Test
    void countsAreNearTheNumberOfLinksAndSurviveReopening() throws Exception {
        var file = directory.resolve("inlinks");
        try (var sketch = InlinkSketch.open(file, new SplittableRandom(1))) {
            for (var url = 0L; url < URLS; url++) {
                var links = url < 100 ? 1_000 : url < 1_000 ? 50 : 1;
                for (var link = 0; link < links; link++) {
                    sketch.add(hash(url));
                }
            }
        }
        assertThat(Files.size(file)).isEqualTo(8 << 20);
        try (var sketch = InlinkSketch.open(file, new SplittableRandom(2))) {
            assertThat(mean(sketch, 0, 100)).isCloseTo(1_000, withPercentage(10));
            assertThat(mean(sketch, 100, 1_000)).isCloseTo(50, withPercentage(10));
            assertThat(mean(sketch, 1_000, URLS)).isCloseTo(1, withPercentage(10));
            assertThat(mean(sketch, URLS, 2 * URLS)).isLessThan(0.05);
        }
    }

    private static double mean(InlinkSketch sketch, long from, long to) {
        return LongStream.range(from, to)
                .mapToDouble(url -> sketch.count(hash(url)))
                .average()
                .orElseThrow();
    }
}
