package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.CrashingDisk;
import dev.orbweaver.internal.disk.FaultyDisk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.sinks.backup.Backup;
import dev.orbweaver.sinks.backup.BackupCatalog;
import dev.orbweaver.sinks.backup.DirectoryStore;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

class BackupCommandTest {

    private static final Backup.Progress NO_PROGRESS =
            new Backup.Progress() {
                @Override
                public void total(long bytes) {}

                @Override
                public void done(long bytes) {}
            };

    /** How many targets become full, each at another byte. */
    private static final int FULL_TARGETS = 12;

    @TempDir private Path directory;

    @Test
    void aRestoredBackupIsTheCrawlAndCanBeContinued() throws Exception {
        var crawl = directory.resolve("c");
        var to = directory.resolve("to");
        var back = directory.resolve("back");
        try (var site = new SmallSite()) {
            crawl(site, crawl, "--max-pages", "2");
            Files.createDirectories(crawl.resolve("seed-lists"));
            Files.writeString(crawl.resolve("seed-lists/000001-more.list"), site.url() + "b\n");
            var made = CommandResult.run("backup", crawl.toString(), to.toString());
            assertThat(made.err()).isEmpty();
            assertThat(made.out()).containsPattern("^backup \\d{8}-\\d{6}: \\d+ files, ");
            var restored = CommandResult.run("restore", to.toString(), back.toString());
            assertThat(restored.out()).contains("to continue: orbweaver resume " + back);
            assertVerified(back);
            assertThat(content(back)).isEqualTo(content(crawl));
            var resumed = CommandResult.run("resume", back.toString(), "--set", "max-pages=none");
            assertThat(resumed.out()).contains("3 pages");
            assertVerified(back);
        }
    }

    @Test
    void anotherBackupCopiesOnlyWhatIsNewAndOldOnesAreDeleted() throws Exception {
        var crawl = directory.resolve("c");
        var to = directory.resolve("to");
        try (var site = new SmallSite()) {
            crawl(site, crawl, "--max-pages", "1");
            backup(crawl, to);
            var before = files(to.resolve("data"));
            assertThat(CommandResult.run("backup", crawl.toString(), to.toString()).out())
                    .contains("of which 0 B copied");
            var resumed = CommandResult.run("resume", crawl.toString(), "--set", "max-pages=none");
            assertThat(resumed.code()).isZero();
            backup(crawl, to);
            assertThat(files(to.resolve("data")).keySet())
                    .as("nothing is replaced")
                    .containsAll(before.keySet());
            assertThat(pieces(to, "pages.log")).as("the log grew").hasSize(2);
            var ids = ids(to);
            assertThat(ids).hasSize(3);
            var first = directory.resolve("first");
            assertThat(
                            CommandResult.run(
                                            "restore",
                                            to.toString(),
                                            first.toString(),
                                            "--at",
                                            ids.getFirst())
                                    .code())
                    .isZero();
            assertVerified(first);
            assertThat(CommandResult.run("status", first.toString()).out())
                    .containsPattern("pages +1 ");
            var kept = CommandResult.run("backup", crawl.toString(), to.toString(), "--keep", "1");
            assertThat(kept.out()).contains("older backups deleted: 3");
            assertThat(ids(to)).hasSize(1).doesNotContainAnyElementsOf(ids);
            assertThat(files(to.resolve("data")).keySet())
                    .as("data that only the deleted backups needed")
                    .noneMatch(name -> name.startsWith("frontier/journal-1/"))
                    .hasSizeLessThan(before.size() + 20);
            assertThat(to.resolve("data/frontier/snapshot-1")).doesNotExist();
            var back = directory.resolve("back");
            assertThat(CommandResult.run("restore", to.toString(), back.toString()).code())
                    .isZero();
            assertVerified(back);
            assertThat(content(back)).isEqualTo(content(crawl));
        }
    }

    @Test
    void theListHasEveryFinishedBackup() throws Exception {
        var crawl = directory.resolve("c");
        var to = directory.resolve("to");
        assertThat(CommandResult.run("backup", "--list", to.toString()).out())
                .isEqualTo("no finished backup in " + to + "\n");
        try (var site = new SmallSite()) {
            crawl(site, crawl);
        }
        backup(crawl, to);
        backup(crawl, to);
        assertThat(CommandResult.run("backup", "--list", to.toString()).out())
                .containsPattern("(?s)^backup +made at +files +size\n\\d{8}-.*\n\\d{8}-.*\n$");
    }

    /** Stops the process at every change to the target in turn, each half done if possible. */
    @Slow
    @Test
    void aBackupThatDiesAtAnyChangeIsNotListedAndTheOthersRemainWhole() throws Exception {
        var crawl = directory.resolve("c");
        var to = directory.resolve("to");
        try (var site = new SmallSite()) {
            crawl(site, crawl, "--max-pages", "1");
            backup(crawl, to);
            var _ = CommandResult.run("resume", crawl.toString(), "--set", "max-pages=none");
        }
        var finished = ids(to);
        var crashes = 0;
        for (var crashed = true; crashed; crashes++) {
            var place = directory.resolve("to" + crashes);
            copy(to, place);
            var disk = new CrashingDisk(new RealDisk(), crashes);
            try (var store = new DirectoryStore(disk, place, _ -> {})) {
                var _ = Backup.run(crawl, store, 1, Instant.now(), NO_PROGRESS);
            } catch (IOException e) {
                assertThat(disk.hasCrashed()).as("%s", e).isTrue();
            }
            crashed = disk.hasCrashed();
            var now = ids(place);
            if (!crashed) {
                assertThat(now)
                        .as("the old backup was deleted")
                        .doesNotContainAnyElementsOf(finished);
            }
            for (var id : now) {
                var back = directory.resolve("back" + crashes + "-" + id);
                var restored =
                        CommandResult.run("restore", place.toString(), back.toString(), "--at", id);
                assertThat(restored.err()).as("after change %d", crashes).isEmpty();
                assertVerified(back);
            }
            assertThat(now).as("a backup is finished or not there").hasSizeBetween(1, 2);
            backup(crawl, place);
            var next = directory.resolve("next" + crashes);
            var restored = CommandResult.run("restore", place.toString(), next.toString());
            assertThat(restored.err()).as("the next one, after change %d", crashes).isEmpty();
            assertThat(content(next)).isEqualTo(content(crawl));
        }
        assertThat(crashes).isGreaterThan(30);
    }

    /** Fills the target at chosen bytes of a backup, the last of them in the checkpoint itself. */
    @Slow
    @Test
    void aBackupToATargetThatIsFullAtAnyByteIsNotFinishedAndTheOthersRemainWhole()
            throws Exception {
        var crawl = directory.resolve("c");
        var to = directory.resolve("to");
        try (var site = new SmallSite()) {
            crawl(site, crawl, "--max-pages", "1");
            backup(crawl, to);
            var _ = CommandResult.run("resume", crawl.toString(), "--set", "max-pages=none");
        }
        var finished = ids(to);
        var whole = directory.resolve("whole");
        copy(to, whole);
        backup(crawl, whole);
        var needed = size(whole) - size(to);
        for (var step = 0; step <= FULL_TARGETS; step++) {
            var capacity = (needed - 1) * step / FULL_TARGETS;
            var place = directory.resolve("full" + step);
            copy(to, place);
            assertThat(failure(crawl, place, capacity))
                    .as("full after %d of %d bytes", capacity, needed)
                    .matches(
                            "could not store \\S+ in "
                                    + place
                                    + ": No space left on device; this backup is not finished, and"
                                    + " earlier ones are unchanged: .*run the command again");
            assertThat(ids(place)).isEqualTo(finished);
            var back = directory.resolve("earlier" + step);
            assertThat(CommandResult.run("restore", place.toString(), back.toString()).err())
                    .isEmpty();
            assertVerified(back);
            backup(crawl, place);
            var next = directory.resolve("later" + step);
            assertThat(CommandResult.run("restore", place.toString(), next.toString()).err())
                    .isEmpty();
            assertThat(content(next)).isEqualTo(content(crawl));
            assertThat(files(place).keySet())
                    .as("nothing of the unfinished backup remains")
                    .noneMatch(name -> name.endsWith(".unfinished"));
        }
    }

    /** Makes a backup to a target with too little space and returns the error message. */
    private static String failure(Path crawl, Path place, long capacity) throws IOException {
        var disk = FaultyDisk.over(new RealDisk(), 1).withCapacity(capacity);
        try (var store = new DirectoryStore(disk, place, _ -> {})) {
            var _ = Backup.run(crawl, store, 100, Instant.now(), NO_PROGRESS);
            return "finished";
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static long size(Path root) throws IOException {
        return files(root).values().stream().mapToLong(hex -> hex.length() / 2).sum();
    }

    private static void copy(Path from, Path to) throws IOException {
        try (var files = Files.walk(from)) {
            for (var file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    @Test
    void everyMistakeIsExplained() throws Exception {
        var crawl = directory.resolve("c");
        var other = directory.resolve("other");
        var to = directory.resolve("to");
        try (var site = new SmallSite()) {
            crawl(site, crawl);
            crawl(site, other);
        }
        backup(crawl, to);
        assertThat(run("backup", other, to))
                .isEqualTo(
                        "orbweaver: "
                                + to
                                + " has backups of another crawl; choose another place\n");
        assertThat(run("backup", crawl, crawl.resolve("x")))
                .isEqualTo(
                        "orbweaver: %s/x is in the directory of the crawl; choose a place outside of %s\n"
                                .formatted(crawl, crawl));
        assertThat(run("backup", directory, to))
                .isEqualTo(
                        "orbweaver: there is no crawl in %s; expected the directory of a crawl or a service\n"
                                .formatted(directory));
        var foreign = directory.resolve("mine");
        Files.createDirectories(foreign.resolve("data"));
        Files.writeString(foreign.resolve("data/thesis.txt"), "years of work");
        assertThat(run("backup", crawl, foreign)).contains("are not backups of Orbweaver");
        assertThat(foreign.resolve("data/thesis.txt")).exists();
        assertThat(run("restore", directory.resolve("none"), directory.resolve("b")))
                .contains("there is no backup in '");
        assertThat(run("restore", foreign, directory.resolve("b")))
                .contains("there is no finished backup in " + foreign);
        assertThat(run("restore", to, crawl)).contains("is not empty; choose a new directory");
        assertThat(
                        CommandResult.run(
                                        "restore",
                                        to.toString(),
                                        directory.resolve("b").toString(),
                                        "--at",
                                        "20000101-000000")
                                .err())
                .contains("there is no backup 20000101-000000 in " + to + "; there are ");
        assertThat(CommandResult.run("backup", "a", "b", "--keep", "0").code()).isEqualTo(2);
        assertThat(CommandResult.run("backup", crawl.toString()).err())
                .contains("orbweaver backup DIR TO");
    }

    @Test
    void aDamagedPieceIsRefusedAndLeavesNoCrawl() throws Exception {
        var crawl = directory.resolve("c");
        var to = directory.resolve("to");
        var back = directory.resolve("back");
        try (var site = new SmallSite()) {
            crawl(site, crawl);
        }
        backup(crawl, to);
        var piece = to.resolve("data/pages.log").resolve(pieces(to, "pages.log").getFirst());
        var bytes = Files.readAllBytes(piece);
        bytes[bytes.length / 2] ^= 4;
        Files.write(piece, bytes);
        assertThat(run("restore", to, back)).contains("is damaged: it does not match its checksum");
        assertThat(back.resolve("crawl.yaml")).doesNotExist();
    }

    @Test
    void theFrontiersKeyStaysPrivate() throws Exception {
        var crawl = directory.resolve("c");
        var to = directory.resolve("to");
        var back = directory.resolve("back");
        try (var site = new SmallSite()) {
            crawl(site, crawl);
        }
        backup(crawl, to);
        var _ = CommandResult.run("restore", to.toString(), back.toString());
        var piece = pieces(to, "frontier/fingerprint-key").getFirst();
        for (var file :
                List.of(
                        to.resolve("data/frontier/fingerprint-key").resolve(piece),
                        back.resolve("frontier/fingerprint-key"))) {
            assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
        }
    }

    private static void crawl(SmallSite site, Path out, String... more) {
        var arguments =
                new ArrayList<>(
                        List.of("crawl", site.url(), "--out", out.toString(), "--delay", "0"));
        arguments.addAll(List.of(more));
        assertThat(CommandResult.run(arguments.toArray(String[]::new)).code()).isZero();
    }

    private static void backup(Path crawl, Path to) {
        var made = CommandResult.run("backup", crawl.toString(), to.toString());
        assertThat(made.err()).isEmpty();
        assertThat(made.code()).isZero();
    }

    private static String run(String command, Path first, Path second) {
        var result = CommandResult.run(command, first.toString(), second.toString());
        assertThat(result.code()).isNotZero();
        return result.err();
    }

    private static void assertVerified(Path crawl) {
        var verified = CommandResult.run("verify", crawl.toString());
        assertThat(verified.out()).as(crawl.toString()).startsWith("no damage found");
    }

    private static List<String> ids(Path to) throws IOException {
        try (var store = new DirectoryStore(new RealDisk(), to, _ -> {})) {
            return BackupCatalog.read(store).ids();
        }
    }

    private static List<String> pieces(Path to, String name) throws IOException {
        return List.copyOf(files(to.resolve("data").resolve(name)).keySet());
    }

    private static Map<String, String> files(Path root) throws IOException {
        var found = new TreeMap<String, String>();
        try (var files = Files.walk(root)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                found.put(
                        root.relativize(file).toString(),
                        HexFormat.of().formatHex(Files.readAllBytes(file)));
            }
        }
        return found;
    }

    /** What a backup has of a crawl. */
    private static Map<String, String> content(Path crawl) throws IOException {
        var content = files(crawl);
        content.keySet().removeIf(name -> name.matches("\\..*|crawl\\.log|digests\\.index|tmp/.*"));
        return content;
    }
}
