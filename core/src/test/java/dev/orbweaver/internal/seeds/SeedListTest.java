package dev.orbweaver.internal.seeds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

class SeedListTest {

    @TempDir Path crawl;

    private static List<String> lines(Path file, long from) throws IOException {
        var lines = new ArrayList<String>();
        try (var reader = new SeedListReader(file, from)) {
            while (reader.position() < Files.size(file)) {
                lines.add(reader.next());
            }
        }
        return lines;
    }

    @Test
    void listsAreReadInTheOrderInWhichTheyWereAdded() throws Exception {
        var user = Files.writeString(crawl.resolve("urls.txt"), "https://example.com/\n");
        assertThat(SeedList.addCopy(crawl, "sitemap:https://b/", out -> out.line("https://b/")))
                .isEqualTo(1);
        assertThat(SeedList.addReference(crawl, user)).isTrue();
        assertThat(SeedList.addReference(crawl, user)).as("the same file again").isFalse();
        assertThat(SeedList.addCopy(crawl, "a", _ -> {})).isZero();
        assertThat(SeedList.of(crawl))
                .extracting(list -> list.name().replaceFirst("-[0-9a-f]{16}\\.", "."))
                .containsExactly(
                        "000001-sitemap-https-b-.list", "000002-urls-txt.ref", "000003-a.list");
        assertThat(SeedList.of(crawl).get(1).file()).isEqualTo(user.toAbsolutePath());
    }

    @Test
    void announcedUrlsAreInFewListsThatAreDeletedWhenTheyWereRead() throws Exception {
        var urls = new CrawlUrls(Normalisation.DEFAULT);
        for (var i = 0; i < 1_000; i++) {
            var url = urls.parse("https://example.com/" + "long/".repeat(400) + i).orElseThrow();
            assertThat(SeedList.announce(crawl, List.of(url))).isTrue();
        }
        var lists = SeedList.of(crawl);
        assertThat(lists).hasSize(2).allMatch(SeedList::isAnnounced);
        assertThat(
                        lines(lists.getFirst().file(), 0).size()
                                + lines(lists.getLast().file(), 0).size())
                .isEqualTo(1_000);
        Files.writeString(lists.getLast().file(), "https://cut", StandardOpenOption.APPEND);
        assertThat(SeedList.of(crawl)).isEqualTo(lists);
        var next = urls.parse("https://example.com/next").orElseThrow();
        assertThat(SeedList.announce(crawl, List.of(next))).isTrue();
        assertThat(lines(SeedList.of(crawl).getLast().file(), 0))
                .endsWith("https://example.com/next")
                .doesNotContain("https://cut");
        SeedList.deleteRead(lists, _ -> true);
        assertThat(SeedList.of(crawl))
                .extracting(SeedList::name)
                .containsExactly(lists.getLast().name());
    }

    @Test
    void aListIsOnlyOfTheSourceThatItWasAddedFor() throws Exception {
        var path = "warc:/archives/" + "of/the/same/collection/".repeat(5);
        for (var source : List.of(path + "a.warc.gz", "cdxj:a_b.cdxj", "warc:a.warc")) {
            var label = SeedList.capturesLabel(source);
            var other = Files.createTempDirectory(crawl, "other");
            assertThat(SeedList.addCopy(crawl, label, _ -> {})).isZero();
            var _ = SeedList.of(crawl).getFirst().moveTo(other);
            assertThat(SeedList.of(other)).singleElement().matches(list -> list.isOf(label));
            assertThat(SeedList.of(other).getFirst().isCaptures()).isTrue();
            for (var another : List.of(path + "b.warc.gz", "cdxj:a-b.cdxj", "warc:A.warc")) {
                assertThat(SeedList.of(other).getFirst().isOf(SeedList.capturesLabel(another)))
                        .as("%s for %s", another, source)
                        .isFalse();
            }
        }
    }

    @Test
    void anUnfinishedListIsNotSeen() throws Exception {
        assertThatThrownBy(
                        () ->
                                SeedList.addCopy(
                                        crawl,
                                        "a",
                                        out -> {
                                            out.line("https://example.com/");
                                            throw new IOException("the source failed");
                                        }))
                .hasMessage("the source failed");
        assertThat(SeedList.of(crawl)).isEmpty();
        assertThat(crawl.resolve("seed-lists")).isEmptyDirectory();
    }

    @Test
    void aUsersFileThatChangedIsRefusedButMayBeTouched() throws Exception {
        var user = Files.writeString(crawl.resolve("urls.txt"), "https://example.com/\n");
        assertThat(SeedList.addReference(crawl, user)).isTrue();
        var list = SeedList.of(crawl).getFirst();
        Files.setLastModifiedTime(user, FileTime.from(Instant.EPOCH));
        list.requireUnchanged(crawl);
        Files.writeString(user, "https://example.net/\n");
        assertThatThrownBy(() -> list.requireUnchanged(crawl))
                .hasMessageContaining("has changed since it was added: restore it, or delete");
        Files.delete(user);
        assertThatThrownBy(() -> list.requireUnchanged(crawl))
                .hasMessageContaining("cannot read the seed list");
    }

    @Test
    void linesAreReadFromAnyPositionHoweverLongTheyAre() throws Exception {
        var file = crawl.resolve("list");
        var longLine = "x".repeat(300_000);
        Files.writeString(file, "one\r\n\n" + longLine + "\ntwo\nlast");
        var lines = lines(file, 0);
        assertThat(lines).hasSize(5);
        assertThat(lines.get(2)).isEqualTo("x".repeat(64 << 10));
        assertThat(List.of(lines.get(0), lines.get(1), lines.get(3), lines.get(4)))
                .containsExactly("one", "", "two", "last");
        assertThat(lines(file, 6 + longLine.length() + 1)).containsExactly("two", "last");
    }

    @Test
    void theEntryOfASourceKeepsPriorityAndTime() throws Exception {
        var modified = Instant.parse("2026-01-02T03:04:05Z");
        var lines =
                SeedList.addCopy(
                        crawl,
                        "s",
                        out -> {
                            out.entry(
                                    new SeedEntry(
                                            "https://example.com/\ta\nb",
                                            OptionalDouble.of(0.9),
                                            Optional.of(modified)),
                                    16);
                            out.entry(SeedEntry.of("https://example.com/c"), 0);
                        });
        assertThat(lines).isEqualTo(2);
        assertThat(Files.readAllLines(SeedList.of(crawl).getFirst().file()))
                .containsExactly(
                        "https://example.com/ ab\tpriority=+16\tlastmod=2026-01-02T03:04:05Z",
                        "https://example.com/c");
    }

    @Test
    void rejectedLinesBehindTheStoredPositionAreRemoved() throws Exception {
        var list = "000001-a.list";
        assertThat(SeedList.addCopy(crawl, "a", _ -> {})).isZero();
        try (var rejected = RejectedLines.open(crawl, list, 0)) {
            for (var line : List.of(2L, 5L, 9L)) {
                rejected.add(line, "not a URL", "text\t" + line);
            }
        }
        try (var rejected = RejectedLines.open(crawl, list, 5)) {
            rejected.add(9, "again", "x".repeat(1_000));
        }
        assertThat(Files.readAllLines(crawl.resolve("seed-lists").resolve(list + ".rejected.tsv")))
                .containsExactly(
                        "2\tnot a URL\ttext 2",
                        "5\tnot a URL\ttext 5",
                        "9\tagain\t" + "x".repeat(200));
    }

    @Test
    void listsThatAreAddedAtOnceAreAllKept() throws Exception {
        var added = new ArrayList<Future<Long>>();
        try (var threads = Executors.newFixedThreadPool(8)) {
            for (var i = 0; i < 100; i++) {
                var url = "https://example.com/" + i;
                added.add(
                        threads.submit(() -> SeedList.addCopy(crawl, "api", out -> out.line(url))));
            }
        }
        for (var each : added) {
            assertThat(each.get()).isEqualTo(1);
        }
        var urls = new TreeSet<String>();
        for (var list : SeedList.of(crawl)) {
            urls.addAll(Files.readAllLines(list.file()));
        }
        assertThat(urls).hasSize(100);
    }

    @Test
    void aListIsNamedWithoutASearchThroughTheOthers() throws Exception {
        var directory = Files.createDirectories(crawl.resolve("seed-lists"));
        assertThat(SeedList.addCopy(crawl, "a", _ -> {})).isZero();
        // Neither is visited: the first would have to be parsed, the second is the last number.
        Files.writeString(directory.resolve("x-not-a-number.list"), "");
        Files.writeString(directory.resolve(".last-number"), "999999");
        assertThat(SeedList.addCopy(crawl, "b", _ -> {})).isZero();
        assertThat(SeedList.addCopy(crawl, "b", _ -> {})).isZero();

        assertThat(directory.resolve("1000000-b.list")).exists();
        assertThat(directory.resolve("1000001-b.list")).exists();
    }

    @Test
    void aCopiedDirectoryContinuesAfterItsLastNumber() throws Exception {
        var directory = Files.createDirectories(crawl.resolve("seed-lists"));
        Files.writeString(directory.resolve("1000041-a.list"), "");
        Files.writeString(directory.resolve("000007-a.list.rejected.tsv"), "");

        assertThat(SeedList.addCopy(crawl, "b", _ -> {})).isZero();

        assertThat(directory.resolve("1000042-b.list")).exists();
    }

    @Test
    void theRestoredCopyOfAUsersFileIsRead() throws Exception {
        var user = Files.writeString(crawl.resolve("urls.txt"), "https://example.com/\n");
        assertThat(SeedList.addReference(crawl, user)).isTrue();
        var list = SeedList.of(crawl).getFirst();
        var copy = crawl.resolve("seed-lists").resolve(list.restoredName());
        Files.move(user, copy);

        var restored = SeedList.of(crawl);

        assertThat(restored).extracting(SeedList::file).containsExactly(copy);
        restored.getFirst().requireUnchanged(crawl);
        Files.writeString(copy, "https://example.org/\n");
        assertThatThrownBy(() -> restored.getFirst().requireUnchanged(crawl))
                .hasMessageContaining("has changed since it was added");
    }
}
