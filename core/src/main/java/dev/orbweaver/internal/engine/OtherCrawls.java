package dev.orbweaver.internal.engine;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.directory.OpenResources;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.sink.ArchiveFile;
import dev.orbweaver.internal.sink.Dependents;
import dev.orbweaver.internal.sink.OtherCrawl;
import dev.orbweaver.internal.sink.RemoteCrawl;
import dev.orbweaver.model.CommittedLength;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Opens the crawls of the setting {@code dedupe-with} and registers this crawl in each. */
final class OtherCrawls {

    private final CrawlConfig config;
    private final Disk disk;
    private final Path directory;

    private OtherCrawls(CrawlConfig config, Disk disk, Path directory) {
        this.config = config;
        this.disk = disk;
        this.directory = directory.toAbsolutePath().normalize();
    }

    /**
     * @param directory of this crawl, which is locked
     * @param openResources closes the crawls if opening fails later
     */
    static List<OtherCrawl> open(
            CrawlConfig config, Disk disk, Path directory, OpenResources openResources)
            throws IOException {
        var opener = new OtherCrawls(config, disk, directory);
        var others = new ArrayList<OtherCrawl>();
        for (var place : config.warc().dedupeWith()) {
            if (ArchiveFile.isPlace(place)) {
                opener.openArchive(Path.of(place)).map(openResources::add).ifPresent(others::add);
            } else {
                others.add(openResources.add(opener.open(place)));
            }
        }
        return others;
    }

    private Optional<OtherCrawl> openArchive(Path file) throws IOException {
        return OtherCrawl.openArchive(disk, file, scratch(), config.urls());
    }

    /** Creates the directory of this crawl's own indexes. */
    private Path scratch() throws IOException {
        var scratch = directory.resolve(DirectoryLayout.OTHER_DIGESTS);
        disk.createDirectory(scratch);
        return scratch;
    }

    private OtherCrawl open(String place) throws IOException {
        var scratch = scratch();
        if (CrawlConfig.isRemote(place)) {
            var remote = remote(place);
            try {
                var text = Dependents.text(directory, place);
                remote.addDependent(Dependents.fileName(text), text);
                return OtherCrawl.open(disk, place, remote, scratch, config.urls());
            } catch (IOException | RuntimeException e) {
                remote.close();
                throw e;
            }
        }
        var other = Path.of(place);
        requireCrawl(other);
        Dependents.register(disk, other, directory);
        return OtherCrawl.open(disk, other, committedLengths(other), scratch, config.urls());
    }

    private RemoteCrawl remote(String place) throws IOException {
        for (var extension : config.settingValues().table().extensions()) {
            Optional<RemoteCrawl> remote = extension.openCrawl(config.settingValues(), place);
            if (remote.isPresent()) {
                return remote.get();
            }
        }
        throw new IOException(
                "dedupe-with names %s, which this program cannot read; name a directory"
                        .formatted(place));
    }

    private void requireCrawl(Path other) throws IOException {
        if (!StoredCrawl.isCrawl(other)) {
            throw new IOException(
                    "dedupe-with names %s, which is not the directory of a crawl".formatted(other));
        }
        if (Files.exists(directory) && Files.isSameFile(other, directory)) {
            throw new IOException("dedupe-with names the directory of this crawl; name another");
        }
        if (Files.exists(other.resolve(DirectoryLayout.COMPACTION_PLAN))) {
            throw new IOException(
                    "dedupe-with names %s, whose compaction was interrupted; run 'orbweaver compact %s' first"
                            .formatted(other, other));
        }
    }

    private List<CommittedLength> committedLengths(Path other) throws IOException {
        try {
            return StoredCrawl.open(other, config.settingValues().table())
                    .committedLengths()
                    .orElseThrow(
                            () ->
                                    new IOException(
                                            "dedupe-with names %s, which has no frontier: the crawl was not started yet"
                                                    .formatted(other)));
        } catch (ConfigException e) {
            throw new IOException(
                    "dedupe-with names %s, whose settings are invalid: %s"
                            .formatted(other, e.getMessage()),
                    e);
        }
    }
}
