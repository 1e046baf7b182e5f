package dev.orbweaver.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

/** The short form of {@code bench/run backups}. */
@Slow
class BackupKillTest {

    private static final int KILLS = 4;
    private static final int PAGES = 900;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void everyFinishedBackupRestoresVerifiesAndResumesWhateverIsKilled() throws Exception {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        System.out.println("BackupKillTest: replay with -Dorbweaver.seed=" + seed);
        var figures = new BackupKills(directory, KILLS, PAGES, 1, seed).run();
        System.out.println("BackupKillTest: " + figures);
        assertThat(figures).as("seed " + seed).containsEntry("wrong", List.of());
        assertThat(figures).containsEntry("kills", KILLS);
    }
}
