package dev.orbweaver.imports.crawls;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.config.CheckedValues;
import dev.orbweaver.internal.config.ExclusionList;
import dev.orbweaver.internal.seeds.SeedLine;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.PrintableText;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Reads a crawl of another program without writing anything. */
public final class DryRun {

    private static final String HOSTS = "hosts";
    private static final int SAMPLE_ROWS = 10;
    private static final int SAMPLE_CHARS = 120;

    /** What a row takes in the frontier beside its URL: fingerprint, seen table, journal. */
    private static final long ROW_BYTES = 64;

    /**
     * What a row takes in Redis: a fingerprint; for a queued one also the record beside its URL.
     */
    private static final long REDIS_ROW_BYTES = 24;

    private static final long REDIS_QUEUED_BYTES = 80;

    /** The URL of a queued row is in the list, in the journal and in a segment. */
    private static final long QUEUED_COPIES = 2;

    private DryRun() {}

    /**
     * What an import would read of a part.
     *
     * @param sample the first rejected rows, with the reason
     * @param diskBytes an upper estimate of the disk space that the part needs in a directory
     * @param listBytes the part of it that is needed also if a fleet is the destination
     * @param redisBytes an upper estimate of the memory of Redis that the part needs in a fleet
     */
    public record PartCounts(
            String name,
            long rows,
            long rejected,
            List<String> sample,
            long diskBytes,
            long listBytes,
            long redisBytes) {}

    /** Reads all parts of a crawl, and its hosts if it has any, as the last part. */
    public static List<PartCounts> run(
            CrawlImporter importer, CrawlUrls urls, Consumer<String> progress)
            throws IOException, InterruptedException {
        var counts = new ArrayList<PartCounts>();
        for (var part : importer.parts()) {
            var out = new Counter(part.name(), urls, progress);
            part.read("", out);
            counts.add(out.counts());
        }
        var hosts = new HostCounter();
        var rows = importer.readHosts(hosts);
        if (rows > 0) {
            counts.add(hosts.counts(rows));
        }
        return counts;
    }

    /** Counts what is known of hosts: robots.txt files take space, all else is small. */
    private static final class HostCounter implements CrawlImporter.HostOutput {

        /** Stored for http and https. */
        private static final int SCHEMES = 2;

        private final List<String> sample = new ArrayList<>();
        private long rejected;
        private long bytes;

        @Override
        public void excluded(String domain) {
            var _ = check(domain);
        }

        @Override
        public void lastRequest(String host, Instant at) {
            // A few bytes of the host's record.
        }

        @Override
        public void robots(String host, String text, Instant expires) {
            if (check(host)) {
                bytes += SCHEMES * (ROW_BYTES + text.getBytes(UTF_8).length);
            }
        }

        private boolean check(String host) {
            var valid = ExclusionList.pattern(host).isPresent();
            if (!valid) {
                rejected++;
                if (sample.size() < SAMPLE_ROWS) {
                    sample.add(shortened(CheckedValues.quote(host) + " is not a host name"));
                }
            }
            return valid;
        }

        private PartCounts counts(long rows) {
            return new PartCounts(HOSTS, rows, rejected, List.copyOf(sample), bytes, 0, bytes);
        }
    }

    private static String shortened(String text) {
        var shown = PrintableText.line(text);
        return shown.substring(0, Math.min(shown.length(), SAMPLE_CHARS));
    }

    private static final class Counter implements CrawlImporter.RowOutput {

        private static final long PROGRESS_ROWS = 50_000;

        private final String name;
        private final CrawlUrls urls;
        private final Consumer<String> progress;
        private final ListLines lines = new ListLines();
        private final List<String> sample = new ArrayList<>();
        private long rows;
        private long rejected;
        private long diskBytes;
        private long listBytes;
        private long redisBytes;

        private Counter(String name, CrawlUrls urls, Consumer<String> progress) {
            this.name = name;
            this.urls = urls;
            this.progress = progress;
        }

        @Override
        public void visited(String url) {
            count(lines.visited(url));
        }

        @Override
        public void queued(String url, int depth, int points) {
            var line = lines.queued(url, depth, points);
            diskBytes += QUEUED_COPIES * line.length();
            redisBytes += REDIS_QUEUED_BYTES + line.length();
            count(line);
        }

        private void count(String line) {
            rows++;
            var bytes = line.getBytes(UTF_8).length;
            diskBytes += ROW_BYTES + bytes;
            listBytes += bytes;
            redisBytes += REDIS_ROW_BYTES;
            if (SeedLine.parse(line.substring(0, line.length() - 1), urls)
                    instanceof SeedLine.Malformed(var reason)) {
                rejected++;
                if (sample.size() < SAMPLE_ROWS) {
                    sample.add("row %,d: %s".formatted(rows, shortened(reason)));
                }
            }
            if (rows % PROGRESS_ROWS == 0) {
                progress.accept("%s: %,d rows read".formatted(name, rows));
            }
        }

        @Override
        public boolean isCheckpointDue() {
            return false;
        }

        @Override
        public void checkpoint(String key) {
            throw new IllegalStateException("nothing is stored");
        }

        private PartCounts counts() {
            return new PartCounts(
                    name, rows, rejected, List.copyOf(sample), diskBytes, listBytes, redisBytes);
        }
    }
}
