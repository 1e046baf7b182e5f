package dev.orbweaver.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.model.FileMark;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

class MarksFileTest {

    private static final FileMark WARC = new FileMark("warc/1.warc.gz", 100, 7);
    private static final FileMark LOG = new FileMark("pages", 10, 7);

    @TempDir private Path folder;

    private MarksFile open() throws IOException {
        return MarksFile.open(new RealDisk(), folder, false);
    }

    @Test
    void theNewestMarkOfEachFileIsFoundAgain() throws IOException {
        try (var marks = open()) {
            assertThat(marks.last()).isEmpty();
            marks.keep(List.of(WARC, LOG));
            marks.keep(List.of());
            marks.keep(List.of(new FileMark("pages", 20, 7)));
        }
        assertThat(MarksFile.read(new RealDisk(), folder))
                .containsExactly(WARC, new FileMark("pages", 20, 7));
        try (var marks = open()) {
            assertThat(marks.last()).containsExactly(WARC, new FileMark("pages", 20, 7));
        }
    }

    @Test
    void aCommitThatIsCutOffAnywhereDoesNotCount() throws IOException {
        try (var marks = open()) {
            marks.keep(List.of(WARC, LOG));
            marks.keep(
                    List.of(new FileMark("warc/1.warc.gz", 4711, 7), new FileMark("pages", 42, 7)));
        }
        var file = folder.resolve(MarksFile.FILE);
        var whole = Files.readAllBytes(file);
        var first = new String(whole, UTF_8).indexOf('\n') + 1;
        for (var length = first; length < whole.length; length++) {
            Files.write(file, Arrays.copyOf(whole, length));
            try (var marks = open()) {
                assertThat(marks.last()).as("cut to %d", length).containsExactly(WARC, LOG);
                marks.keep(List.of(new FileMark("pages", 11, 7)));
            }
            assertThat(MarksFile.read(new RealDisk(), folder))
                    .containsExactly(WARC, new FileMark("pages", 11, 7));
        }
    }

    @Test
    void aChangedByteEndsWhatCounts() throws IOException {
        try (var marks = open()) {
            marks.keep(List.of(WARC));
            marks.keep(List.of(LOG));
        }
        var file = folder.resolve(MarksFile.FILE);
        var bytes = Files.readAllBytes(file);
        bytes[bytes.length - 2] ^= 1;
        Files.write(file, bytes);
        assertThat(MarksFile.read(new RealDisk(), folder)).containsExactly(WARC);
    }

    @Test
    void aChangedByteBeforeTheLastCommitIsDamage() throws IOException {
        try (var marks = open()) {
            marks.keep(List.of(WARC));
            marks.keep(List.of(new FileMark(WARC.name(), 150, 9)));
            marks.keep(List.of(LOG));
        }
        var file = folder.resolve(MarksFile.FILE);
        var whole = Files.readAllBytes(file);
        var last = new String(whole, UTF_8).lastIndexOf('\n', whole.length - 2);
        for (var at = 0; at < last; at++) {
            var damaged = whole.clone();
            damaged[at] ^= 2;
            Files.write(file, damaged);
            assertThatThrownBy(this::open)
                    .hasMessageContaining("marks is damaged")
                    .hasMessageContaining("run `orbweaver repair " + folder + "`");
            assertThat(file).hasBinaryContent(damaged);
        }
        assertThat(MarksFile.salvage(new RealDisk(), folder)).containsEntry("pages", LOG);
    }

    @Test
    void theFileStaysSmallHoweverManyCommitsThereAre() throws IOException {
        try (var marks = open()) {
            for (var commit = 1; commit <= 60_000; commit++) {
                marks.keep(List.of(WARC, new FileMark("pages", commit, 7)));
            }
        }
        assertThat(Files.size(folder.resolve(MarksFile.FILE))).isLessThan(2 << 20);
        assertThat(MarksFile.read(new RealDisk(), folder))
                .containsExactly(WARC, new FileMark("pages", 60_000, 7));
    }
}
