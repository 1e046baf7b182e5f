package dev.orbweaver.internal.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.internal.url.CraftedUrls;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.Hop;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

class FingerprintKeyFileTest {

    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

    private final FingerprintKey key = FingerprintKey.random();

    @TempDir Path directory;

    private static CrawlUrls urls(FingerprintKey key) {
        return new CrawlUrls(Normalisation.DEFAULT, key);
    }

    private TestFrontier open(FingerprintKey with) throws IOException {
        return TestFrontier.open(
                new RealDisk(),
                directory,
                Politeness.DEFAULT,
                DiskSettings.of(urls(with)).withSmallFiles(1 << 16),
                NOW);
    }

    private void offer(TestFrontier frontier, List<String> texts) {
        var urls = urls(frontier.fingerprintKey());
        frontier.offer(
                TestFrontier.JOB,
                texts.stream()
                        .map(text -> new Candidate(urls.parse(text).orElseThrow(), Hop.LINK, 1, 0))
                        .toList(),
                NOW);
    }

    private Path file() {
        return directory.resolve(FingerprintKeyFile.NAME);
    }

    @Test
    void aFrontierKeepsItsKeyAndKnowsItsUrlsAgain() throws IOException {
        try (var frontier = open(key)) {
            offer(frontier, List.of("http://a.test/"));
        }
        assertThat(FingerprintKeyFile.read(new RealDisk(), directory)).contains(key);
        try (var frontier = open(key)) {
            assertThat(frontier.fingerprintKey()).isEqualTo(key);
            offer(frontier, List.of("http://a.test/", "http://a.test/b"));
            assertThat(frontier.ledger(TestFrontier.JOB).accepted()).isEqualTo(2);
            assertThat(frontier.ledger(TestFrontier.JOB).duplicate()).isEqualTo(1);
        }
    }

    @Test
    void anotherKeyIsRefused() throws IOException {
        open(key).close();
        assertThatThrownBy(() -> open(FingerprintKey.random()))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        directory
                                + " was created with another fingerprint key than it is opened"
                                + " with");
    }

    @Test
    void aFrontierWithoutItsKeyIsRefused() throws IOException {
        open(key).close();
        Files.delete(file());
        for (var action :
                List.<Attempt>of(
                        () -> open(key), () -> FingerprintKeyFile.read(disk(), directory))) {
            assertThatThrownBy(action::run)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(file() + " is missing")
                    .hasMessageContaining("rebuild it with the command 'orbweaver repair");
        }
        assertThat(file()).as("none is made up").doesNotExist();
    }

    private interface Attempt {
        Object run() throws IOException;
    }

    private static RealDisk disk() {
        return new RealDisk();
    }

    @Test
    void aDamagedKeyIsRefusedWhereverTheDamageIs() throws IOException {
        open(key).close();
        var whole = Files.readAllBytes(file());
        for (var at = 0; at < whole.length; at++) {
            var flipped = whole.clone();
            flipped[at] ^= (byte) 1;
            Files.write(file(), flipped);
            assertThatThrownBy(() -> open(key)).hasMessageContaining(file() + " is damaged");
            Files.write(file(), Arrays.copyOf(whole, at));
            assertThatThrownBy(() -> open(key)).hasMessageContaining(file().toString());
        }
        Files.write(file(), whole);
        open(key).close();
    }

    /** A kill while the first key is written leaves part of it and nothing else. */
    @Test
    void aNewFrontierMakesAKeyInPlaceOfAHalfWrittenOne() throws IOException {
        Files.write(file(), new byte[] {'O', 'R', 'B'});
        assertThat(FingerprintKeyFile.read(disk(), directory)).isEmpty();
        open(key).close();
        assertThat(FingerprintKeyFile.read(disk(), directory)).contains(key);
    }

    /** With XXH3 without a secret they made the table of seen keys grow from 5 to 177 MB. */
    @Test
    void craftedUrlsDoNotBlowUpTheSeenTable() throws IOException {
        try (var frontier = open(key)) {
            offer(frontier, CraftedUrls.texts());
            assertThat(frontier.ledger(TestFrontier.JOB).accepted()).isEqualTo(300);
        }
        assertThat(Files.size(directory.resolve("seen-0.table"))).isBetween(4L << 20, 6L << 20);
    }
}
