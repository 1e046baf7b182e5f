package dev.orbweaver.imports.crawls;

import dev.orbweaver.imports.SourceException;
import dev.orbweaver.imports.SourceType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a crawl of Heritrix from the directory of its job or launch: {@code crawl.log} with its
 * rotated parts, CDX and CDXJ files, and {@code seeds.txt}.
 */
public final class HeritrixImporter implements CrawlImporter {

    /** A job has launches, which have logs and reports. */
    private static final int DEPTH_MAX = 4;

    private final Path directory;
    private final SourceOpener sources;

    public HeritrixImporter(Path directory, SourceOpener sources) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw new SourceException(
                    directory + " is not a directory; name the directory of a Heritrix job");
        }
        this.directory = directory.toAbsolutePath().normalize();
        this.sources = sources;
    }

    @Override
    public String source() {
        return "Heritrix " + directory;
    }

    @Override
    public List<Part> parts() throws IOException {
        var logs = files("crawl\\.log(\\..*)?");
        var indexes = files(".*\\.cdxj?(\\.gz)?");
        var parts = new ArrayList<Part>();
        for (var i = 0; i < logs.size(); i++) {
            parts.add(new HeritrixLog("visited-log-" + (i + 1), logs.get(i), true));
        }
        for (var i = 0; i < indexes.size(); i++) {
            parts.add(
                    new SourcePart(
                            "visited-cdx-" + (i + 1),
                            sources.open(SourceType.CDXJ, indexes.get(i)),
                            true));
        }
        for (var i = 0; i < logs.size(); i++) {
            parts.add(new HeritrixLog("queued-log-" + (i + 1), logs.get(i), false));
        }
        var seeds = files("seeds\\.txt");
        for (var i = 0; i < seeds.size(); i++) {
            parts.add(
                    new SourcePart(
                            "seeds-" + (i + 1), sources.open(SourceType.TXT, seeds.get(i)), false));
        }
        if (parts.isEmpty()) {
            throw new SourceException(
                    directory
                            + " has no crawl.log, seeds.txt, .cdx or .cdxj file; name the directory"
                            + " of a Heritrix job");
        }
        return parts;
    }

    private List<Path> files(String name) throws IOException {
        try (var files = Files.walk(directory, DEPTH_MAX)) {
            return files.filter(file -> file.getFileName().toString().matches(name))
                    .filter(Files::isRegularFile)
                    .sorted()
                    .toList();
        }
    }

    @Override
    public void close() {}
}
