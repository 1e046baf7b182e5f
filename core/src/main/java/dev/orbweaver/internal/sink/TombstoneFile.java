package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.DirectoryLock;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.HashFilter;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/**
 * URLs and hosts that were taken down: they are not shown and not requested any more. The file is
 * text in the crawl's directory, one per line, replaced atomically.
 *
 * <p>A URL is covered in every spelling of its normal form, a host on every port without
 * subdomains.
 */
public final class TombstoneFile {

    private static final String URL = "url";
    private static final String HOST = "host";
    private static final String CAPTURE = "capture";

    private final CrawlUrls urls;
    private final Set<Fingerprint> keys = new HashSet<>();
    private final Set<String> hosts = new HashSet<>();
    private HashFilter keyFilter = HashFilter.ofFingerprints(Set.of());
    private HashFilter hostFilter = HashFilter.ofNames(Set.of());

    private TombstoneFile(CrawlUrls urls) {
        this.urls = urls;
    }

    public static TombstoneFile read(Path directory, CrawlUrls urls) throws IOException {
        var file = directory.resolve(DirectoryLayout.TOMBSTONES);
        return parse(Files.exists(file) ? AtomicFile.read(new RealDisk(), file) : "", urls);
    }

    static TombstoneFile parse(String text, CrawlUrls urls) throws IOException {
        var tombstones = new TombstoneFile(urls);
        for (var line : text.lines().toList()) {
            tombstones.add(line);
        }
        tombstones.keyFilter = HashFilter.ofFingerprints(tombstones.keys);
        tombstones.hostFilter = HashFilter.ofNames(tombstones.hosts);
        return tombstones;
    }

    private void add(String line) throws IOException {
        var fields = line.split("\t", -1);
        if (fields.length != 3) {
            throw new IOException(DirectoryLayout.TOMBSTONES + " has an invalid line: " + line);
        }
        var text = fields[2];
        switch (fields[1]) {
            case URL ->
                    keys.add(
                            urls.parse(text)
                                    .orElseThrow(
                                            () ->
                                                    new IOException(
                                                            DirectoryLayout.TOMBSTONES
                                                                    + " has an invalid URL in line:"
                                                                    + " "
                                                                    + line))
                                    .key());
            case HOST -> hosts.add(text);
            case CAPTURE -> {
                // Read by {@code lastCapture}.
            }
            default ->
                    throw new IOException(
                            DirectoryLayout.TOMBSTONES + " has an invalid line: " + line);
        }
    }

    public int urlCount() {
        return keys.size();
    }

    public int hostCount() {
        return hosts.size();
    }

    public boolean isEmpty() {
        return keys.isEmpty() && hosts.isEmpty();
    }

    public boolean covers(CrawlUrl url) {
        return (hostFilter.mayContain(url.host()) && hosts.contains(url.host()))
                || (keyFilter.mayContain(url.key()) && keys.contains(url.key()));
    }

    /** Returns whether a URL was taken down; false if the text is not a URL. */
    public boolean covers(String url) {
        return !isEmpty() && urls.parse(url).filter(this::covers).isPresent();
    }

    /** Returns the number of the last capture if some were removed, else 0; it is not reused. */
    static long lastCapture(Disk disk, Path directory) throws IOException {
        var file = directory.resolve(DirectoryLayout.TOMBSTONES);
        return disk.exists(file)
                ? AtomicFile.read(disk, file)
                        .lines()
                        .map(line -> line.split("\t", -1))
                        .filter(fields -> fields.length == 3 && fields[1].equals(CAPTURE))
                        .mapToLong(fields -> Long.parseLong(fields[2]))
                        .max()
                        .orElse(0)
                : 0;
    }

    public static void addUrl(Disk disk, Path directory, CrawlUrl url, Instant time)
            throws IOException {
        append(disk, directory, time + "\t" + URL + "\t" + url.text());
    }

    public static void addHost(Disk disk, Path directory, String host, Instant time)
            throws IOException {
        append(disk, directory, time + "\t" + HOST + "\t" + host);
    }

    /** Records that captures up to this number were removed. */
    static void addLastCapture(Disk disk, Path directory, long capture, Instant time)
            throws IOException {
        append(disk, directory, time + "\t" + CAPTURE + "\t" + capture);
    }

    private static void append(Disk disk, Path directory, String line) throws IOException {
        try (var _ =
                DirectoryLock.tryLock(directory.resolve(DirectoryLayout.TOMBSTONES_LOCK))
                        .orElseThrow(
                                () ->
                                        new IOException(
                                                "another process is running a take-down in "
                                                        + directory
                                                        + "; run the command again when it has"
                                                        + " ended"))) {
            var file = directory.resolve(DirectoryLayout.TOMBSTONES);
            var before = disk.exists(file) ? AtomicFile.read(disk, file) : "";
            AtomicFile.write(disk, file, before + line + "\n");
        }
    }
}
