package dev.orbweaver.sinks.backup;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.AtomicFile;

import java.io.IOException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The finished backups of one crawl in a store, each a {@link Checkpoint} under the time at which
 * it began.
 *
 * <p>A small text, the marker, has the name of the crawl. It is written before anything else, so
 * that a directory or prefix that has other files is never mistaken for a place of backups.
 */
public final class BackupCatalog {

    /** The prefix of everything that backups refer to. */
    static final String DATA = "data/";

    private static final String BACKUPS = "backups/";
    private static final String MARKER = "orbweaver-backup";
    private static final String SUFFIX = ".json";
    private static final Pattern ID = Pattern.compile("\\d{8}-\\d{6}");
    private static final DateTimeFormatter ID_FORMAT =
            DateTimeFormatter.ofPattern("uuuuMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private final PieceStore store;
    private final SortedMap<String, Checkpoint> backups = new TreeMap<>();

    private BackupCatalog(PieceStore store) {
        this.store = store;
    }

    /** Reads the finished backups; there are none in a place that was not used yet. */
    public static BackupCatalog read(PieceStore store) throws IOException {
        var catalog = new BackupCatalog(store);
        for (var name : store.list(BACKUPS)) {
            var id = name.substring(BACKUPS.length()).replace(SUFFIX, "");
            if (ID.matcher(id).matches() && name.endsWith(SUFFIX)) {
                catalog.backups.put(id, catalog.readBackup(id));
            }
        }
        return catalog;
    }

    private static String nameOf(String id) {
        return BACKUPS + id + SUFFIX;
    }

    private Checkpoint readBackup(String id) throws IOException {
        var name = nameOf(id);
        var sealed =
                store.getText(name)
                        .orElseThrow(
                                () ->
                                        new IOException(
                                                "%s in %s was deleted; run the command again"
                                                        .formatted(name, store)));
        var text =
                AtomicFile.verifiedText(sealed.getBytes(UTF_8))
                        .orElseThrow(
                                () ->
                                        new IOException(
                                                "%s in %s is damaged; delete it to use the other backups"
                                                        .formatted(name, store)));
        return Checkpoint.read(text);
    }

    /** Returns the ids of the backups, oldest first. */
    public List<String> ids() {
        return List.copyOf(backups.keySet());
    }

    public Optional<Checkpoint> find(String id) {
        return Optional.ofNullable(backups.get(id));
    }

    public Optional<String> newest() {
        return backups.isEmpty() ? Optional.empty() : Optional.of(backups.lastKey());
    }

    /** Returns the time at which a backup began. */
    public static Instant time(String id) {
        return LocalDateTime.parse(id, ID_FORMAT).toInstant(ZoneOffset.UTC);
    }

    /**
     * Rejects a place that has the backups of another crawl or other files; marks an unused place.
     */
    void claim(String job) throws IOException {
        var marker = store.getText(MARKER);
        if (marker.isEmpty()) {
            if (!store.list(DATA).isEmpty() || !store.list(BACKUPS).isEmpty()) {
                throw new IOException(
                        "%s has files in %s or %s that are not backups of Orbweaver; choose another place"
                                .formatted(store, DATA, BACKUPS));
            }
            putText(MARKER, job + "\n");
            return;
        }
        var text =
                AtomicFile.verifiedText(marker.get().getBytes(UTF_8))
                        .orElseThrow(
                                () ->
                                        new IOException(
                                                MARKER
                                                        + " in "
                                                        + store
                                                        + " is damaged; choose"
                                                        + " another place for new backups"));
        if (!text.strip().equals(job)) {
            throw new IOException(store + " has backups of another crawl; choose another place");
        }
    }

    /** Returns the id of a backup that begins now; it is later than all others by any clock. */
    String nextId(Instant now) {
        var id = ID_FORMAT.format(now);
        return newest().filter(last -> last.compareTo(id) >= 0)
                .map(last -> ID_FORMAT.format(time(last).plusSeconds(1)))
                .orElse(id);
    }

    /** Writes a backup whose pieces are stored: from this moment it is finished. */
    void add(String id, Checkpoint backup) throws IOException {
        try {
            putText(nameOf(id), backup.json());
        } catch (IOException e) {
            if (isStored(nameOf(id), backup.json())) {
                throw new IOException(
                        "backup %s is finished, but a loss of power may remove it: %s"
                                .formatted(id, String.valueOf(e.getCause())),
                        e);
            }
            throw e;
        }
        backups.put(id, backup);
    }

    /** Returns whether a text is there although storing it failed: syncing is the last step. */
    private boolean isStored(String name, String text) {
        try {
            return store.getText(name)
                    .filter(stored -> stored.equals(AtomicFile.withChecksum(text)))
                    .isPresent();
        } catch (IOException e) {
            return false; // The first error is reported.
        }
    }

    private void putText(String name, String text) throws IOException {
        try {
            store.putText(name, AtomicFile.withChecksum(text));
        } catch (IOException e) {
            throw notStored(name, store, e);
        }
    }

    /** Returns the error of a backup that cannot be finished, for example in a full target. */
    static IOException notStored(String name, PieceStore store, IOException cause) {
        return new IOException(
                "could not store %s in %s: %s; this backup is not finished, and earlier ones are unchanged: correct the cause or choose another target, then run the command again"
                        .formatted(name, store, cause.getMessage()),
                cause);
    }

    /** Deletes all but the newest backups, then the data that no remaining backup needs. */
    int rotate(int keep) throws IOException {
        var removed = 0;
        while (backups.size() > keep) {
            var oldest = backups.firstKey();
            store.delete(nameOf(oldest));
            backups.remove(oldest);
            removed++;
        }
        var needed = keys();
        for (var key : store.list(DATA)) {
            if (!needed.contains(key)) {
                store.delete(key);
            }
        }
        store.removeUnfinished(DATA);
        store.removeUnfinished(BACKUPS);
        return removed;
    }

    private Set<String> keys() {
        var keys = new HashSet<String>();
        backups.values().forEach(backup -> keys.addAll(backup.keys()));
        return keys;
    }
}
