package dev.orbweaver.imports.crawls;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.model.Ledger;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * How far an import is, in a file of the crawl's directory.
 *
 * @param source as {@link CrawlImporter#source}
 * @param destination as {@link ImportDestination#description}
 * @param id identifies the import in its destination
 * @param settings the crawl's settings, without secrets
 * @param parts by name
 */
record ImportState(
        String source,
        String destination,
        String id,
        String settings,
        Map<String, PartState> parts,
        ImportReport.Hosts hosts) {

    private static final String FILE = "import.json";

    ImportState {
        parts = new LinkedHashMap<>(parts);
    }

    /** The counts of the frontier that an import changes. */
    record Counts(long accepted, long duplicate, long refused) {

        static final Counts NONE = new Counts(0, 0, 0);

        static Counts of(Ledger ledger) {
            return new Counts(ledger.accepted(), ledger.duplicate(), ledger.refused());
        }

        Counts minus(Counts other) {
            return new Counts(
                    accepted - other.accepted,
                    duplicate - other.duplicate,
                    refused - other.refused);
        }
    }

    /** What has been done for a part. */
    enum Stage {
        READING,
        LOADING,
        DONE
    }

    /**
     * The state of a part.
     *
     * @param rows the rows in the list at the last checkpoint, or at its end
     * @param bytes the length of the list with these rows
     * @param key the key of the last of these rows
     * @param sourceRows the rows that the source has, counted after the last one was read
     * @param before the counts of the frontier before the list was loaded
     * @param loaded the counts of the list alone
     */
    record PartState(
            Stage stage,
            long rows,
            long bytes,
            String key,
            long sourceRows,
            Counts before,
            Counts loaded) {

        static final PartState START =
                new PartState(Stage.READING, 0, 0, "", 0, Counts.NONE, Counts.NONE);

        PartState at(long newRows, long newBytes, String newKey) {
            return new PartState(
                    Stage.READING, newRows, newBytes, newKey, 0, Counts.NONE, Counts.NONE);
        }

        PartState read(long allRows, long inSource, Counts now) {
            return new PartState(Stage.LOADING, allRows, bytes, key, inSource, now, Counts.NONE);
        }

        PartState done(Counts now) {
            return new PartState(
                    Stage.DONE, rows, bytes, key, sourceRows, before, now.minus(before));
        }
    }

    static ImportState start(String source, String destination, String settings) {
        return new ImportState(
                source,
                destination,
                UUID.randomUUID().toString(),
                settings,
                Map.of(),
                ImportReport.Hosts.NONE);
    }

    static Optional<ImportState> read(Path crawl) throws IOException {
        var file = file(crawl);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    JsonMapper.shared()
                            .readValue(AtomicFile.read(new RealDisk(), file), ImportState.class));
        } catch (JacksonException e) {
            throw new IOException(
                    file + " is not the state of an import; delete the directory and start again",
                    e);
        }
    }

    private static Path file(Path crawl) {
        return crawl.resolve(DirectoryLayout.SEEDS).resolve(FILE);
    }

    void write(Path crawl) throws IOException {
        Files.createDirectories(file(crawl).getParent());
        AtomicFile.write(
                new RealDisk(), file(crawl), JsonMapper.shared().writeValueAsString(this) + "\n");
    }

    PartState part(String name) {
        return parts.getOrDefault(name, PartState.START);
    }

    ImportState with(String name, PartState part) {
        var changed = new LinkedHashMap<>(parts);
        changed.put(name, part);
        return new ImportState(source, destination, id, settings, changed, hosts);
    }

    ImportState with(ImportReport.Hosts newHosts) {
        return new ImportState(source, destination, id, settings, parts, newHosts);
    }
}
