package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.internal.frontier.disk.DiskSettings;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Hop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

/** A crawl directory with fixed times, so that it is identical in every run. */
final class ScriptedCrawl implements AutoCloseable {

    private final CrawlUrls urls;
    private final TestFrontier frontier;
    private Instant now = Instant.parse("2030-01-01T00:00:00Z");

    private ScriptedCrawl(Path directory, CrawlConfig config) throws IOException {
        urls = new CrawlUrls(config.normalisation());
        frontier =
                TestFrontier.open(
                        new RealDisk(),
                        Files.createDirectories(directory.resolve("frontier")),
                        config.politeness(),
                        DiskSettings.of(urls),
                        now);
    }

    /** Creates a crawl that has fetched its seed. */
    static ScriptedCrawl create(Path directory) throws Exception {
        var config = CrawlConfig.of("http://seed.example/");
        Files.writeString(directory.resolve("crawl.yaml"), YamlFile.write(config.settingValues()));
        var crawl = new ScriptedCrawl(directory, config);
        var seed = crawl.urls.parse("http://seed.example/").orElseThrow();
        crawl.frontier.offer(TestFrontier.JOB, List.of(Candidate.seed(seed, false)), crawl.now);
        crawl.settle(
                crawl.lease(), new Outcome.Done(true, 5000), new HostSignal.Healthy(crawl.now));
        return crawl;
    }

    /** Opens an existing crawl again. */
    static ScriptedCrawl reopen(Path directory) throws Exception {
        return new ScriptedCrawl(directory, StoredCrawl.open(directory, Settings.CORE).config());
    }

    /** Offers a number of pages of a host. */
    void offer(String host, int pages) {
        frontier.offer(
                TestFrontier.JOB,
                IntStream.range(0, pages)
                        .mapToObj(i -> urls.parse("http://" + host + "/" + i).orElseThrow())
                        .map(url -> new Candidate(url, Hop.LINK, 1, 0))
                        .toList(),
                now);
    }

    /** Leases the only URL that is ready. */
    Lease lease() {
        var leases = frontier.lease(1, now);
        assertThat(leases).hasSize(1);
        return leases.getFirst();
    }

    void settle(Lease lease, Outcome outcome, HostSignal signal) {
        var commitBatch =
                new CommitBatch(List.of(Settlement.of(lease, outcome, signal)), List.of());
        assertThat(frontier.settle(commitBatch, now)).isZero();
    }

    /** Makes the next page of a host fail. */
    void failNext(FailureCause cause) {
        settle(lease(), new Outcome.Dead(cause), new HostSignal.Healthy(now));
    }

    /** Makes a host send Retry-After. */
    void restNext(long seconds) {
        settle(
                lease(),
                new Outcome.Done(true, 700),
                new HostSignal.RateLimited(now, now.plusSeconds(seconds)));
    }

    void advance(long seconds) {
        now = now.plusSeconds(seconds);
    }

    @Override
    public void close() {
        frontier.close();
    }
}
