package dev.orbweaver.internal.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.model.CommittedLength;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

class CommittedLengthsFileTest {

    private static final CommittedLength WARC = new CommittedLength("warc/1.warc.gz", 100, 7);
    private static final CommittedLength LOG = new CommittedLength("pages", 10, 7);

    @TempDir private Path directory;

    private CommittedLengthsFile open() throws IOException {
        return CommittedLengthsFile.open(new RealDisk(), directory, false);
    }

    @Test
    void theNewestMarkOfEachFileIsFoundAgain() throws IOException {
        try (var marks = open()) {
            assertThat(marks.latest()).isEmpty();
            marks.write(List.of(WARC, LOG));
            marks.write(List.of());
            marks.write(List.of(new CommittedLength("pages", 20, 7)));
        }
        assertThat(CommittedLengthsFile.read(new RealDisk(), directory))
                .containsExactly(WARC, new CommittedLength("pages", 20, 7));
        try (var marks = open()) {
            assertThat(marks.latest()).containsExactly(WARC, new CommittedLength("pages", 20, 7));
        }
    }

    @Test
    void aCommitThatIsCutOffAnywhereDoesNotCount() throws IOException {
        try (var marks = open()) {
            marks.write(List.of(WARC, LOG));
            marks.write(
                    List.of(
                            new CommittedLength("warc/1.warc.gz", 4711, 7),
                            new CommittedLength("pages", 42, 7)));
        }
        var file = directory.resolve(CommittedLengthsFile.FILE);
        var whole = Files.readAllBytes(file);
        var first = new String(whole, UTF_8).indexOf('\n') + 1;
        for (var length = first; length < whole.length; length++) {
            Files.write(file, Arrays.copyOf(whole, length));
            try (var marks = open()) {
                assertThat(marks.latest()).as("cut to %d", length).containsExactly(WARC, LOG);
                marks.write(List.of(new CommittedLength("pages", 11, 7)));
            }
            assertThat(CommittedLengthsFile.read(new RealDisk(), directory))
                    .containsExactly(WARC, new CommittedLength("pages", 11, 7));
        }
    }

    @Test
    void aChangedByteEndsWhatCounts() throws IOException {
        try (var marks = open()) {
            marks.write(List.of(WARC));
            marks.write(List.of(LOG));
        }
        var file = directory.resolve(CommittedLengthsFile.FILE);
        var bytes = Files.readAllBytes(file);
        bytes[bytes.length - 2] ^= 1;
        Files.write(file, bytes);
        assertThat(CommittedLengthsFile.read(new RealDisk(), directory)).containsExactly(WARC);
    }

    @Test
    void aChangedByteBeforeTheLastCommitIsDamage() throws IOException {
        try (var marks = open()) {
            marks.write(List.of(WARC));
            marks.write(List.of(new CommittedLength(WARC.name(), 150, 9)));
            marks.write(List.of(LOG));
        }
        var file = directory.resolve(CommittedLengthsFile.FILE);
        var whole = Files.readAllBytes(file);
        var last = new String(whole, UTF_8).lastIndexOf('\n', whole.length - 2);
        for (var at = 0; at < last; at++) {
            var damaged = whole.clone();
            damaged[at] ^= 2;
            Files.write(file, damaged);
            assertThatThrownBy(this::open)
                    .hasMessageContaining("marks is damaged")
                    .hasMessageContaining("orbweaver repair " + directory + "'");
            assertThat(file).hasBinaryContent(damaged);
        }
        assertThat(CommittedLengthsFile.salvage(new RealDisk(), directory))
                .containsEntry("pages", LOG);
    }

    @Test
    void theFileStaysSmallHoweverManyCommitsThereAre() throws IOException {
        try (var marks = open()) {
            for (var commit = 1; commit <= 60_000; commit++) {
                marks.write(List.of(WARC, new CommittedLength("pages", commit, 7)));
            }
        }
        assertThat(Files.size(directory.resolve(CommittedLengthsFile.FILE))).isLessThan(2 << 20);
        assertThat(CommittedLengthsFile.read(new RealDisk(), directory))
                .containsExactly(WARC, new CommittedLength("pages", 60_000, 7));
    }
}
