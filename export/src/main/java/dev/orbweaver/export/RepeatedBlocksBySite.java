package dev.orbweaver.export;

import dev.orbweaver.export.markdown.RepeatedBlocks;
import dev.orbweaver.spi.Document;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/** The repeated blocks of each site: a few sites are in memory, the others in files. */
final class RepeatedBlocksBySite {

    /** The maximum number of pages counted per site; more do not improve the result. */
    private static final int PAGES_MAX = 1_000;

    private static final int CACHED_MAX = 8;

    private final Path directory;
    private final SequencedMap<String, RepeatedBlocks> cached =
            new LinkedHashMap<>(16, 0.75f, true);

    private final Map<String, Integer> files = new LinkedHashMap<>();

    RepeatedBlocksBySite(Path directory) {
        this.directory = directory;
    }

    /** Returns whether more pages of a site improve the result. */
    boolean needsPage(String site) throws IOException {
        return of(site).pages() < PAGES_MAX;
    }

    void addPage(String site, Document document) throws IOException {
        if (needsPage(site)) {
            of(site).addPage(document);
        }
    }

    /** Returns the repeated blocks of a site. The result is valid until the next call. */
    RepeatedBlocks of(String site) throws IOException {
        var known = cached.get(site);
        if (known != null) {
            return known;
        }
        var memory = files.containsKey(site) ? read(file(site)) : new RepeatedBlocks();
        cached.put(site, memory);
        if (cached.size() > CACHED_MAX) {
            var eldest = cached.pollFirstEntry();
            write(eldest.getValue(), file(eldest.getKey()));
        }
        return memory;
    }

    private Path file(String site) {
        return directory.resolve("site-" + files.computeIfAbsent(site, _ -> files.size()));
    }

    private static RepeatedBlocks read(Path file) throws IOException {
        try (var in =
                new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 1 << 16))) {
            return RepeatedBlocks.read(in);
        }
    }

    private static void write(RepeatedBlocks memory, Path file) throws IOException {
        try (var out =
                new DataOutputStream(
                        new BufferedOutputStream(Files.newOutputStream(file), 1 << 16))) {
            memory.write(out);
        }
    }
}
