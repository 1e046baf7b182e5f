package dev.orbweaver.sinks.backup;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A state of a crawl that can be restored: the pieces of each file.
 *
 * <p>It is one small text in a {@link PieceStore}, and writing it is the only commit point there.
 * The pieces that it names are neither changed nor deleted while it exists.
 *
 * @param version of this format
 * @param files by name below the crawl's directory
 */
public record Checkpoint(int version, String job, Map<String, List<Piece>> files) {

    /** The name of the checkpoint that the S3 sink replaces; backups have names of their own. */
    public static final String NAME = "checkpoint.json";

    private static final int VERSION = 1;

    /**
     * A part of a file.
     *
     * @param key its name in the store
     * @param sha256 in hexadecimal
     */
    public record Piece(String key, long length, String sha256) {}

    public Checkpoint {
        files = new LinkedHashMap<>(files);
    }

    public static Checkpoint empty(String job) {
        return new Checkpoint(VERSION, job, Map.of());
    }

    public static Checkpoint of(String job, Map<String, List<Piece>> files) {
        return new Checkpoint(VERSION, job, files);
    }

    public List<Piece> pieces(String name) {
        return files.getOrDefault(name, List.of());
    }

    public Set<String> keys() {
        var keys = new HashSet<String>();
        files.values().forEach(pieces -> pieces.forEach(piece -> keys.add(piece.key)));
        return keys;
    }

    /** Returns the length of all files. */
    public long bytes() {
        return files.values().stream().flatMap(List::stream).mapToLong(Piece::length).sum();
    }

    public String json() {
        return JsonMapper.shared().writeValueAsString(this) + "\n";
    }

    public static Checkpoint read(String json) throws IOException {
        try {
            var read = JsonMapper.shared().readValue(json, Checkpoint.class);
            if (read.version != VERSION) {
                throw new IOException(
                        NAME + " has version " + read.version + ", expected " + VERSION);
            }
            return read;
        } catch (JacksonException | NullPointerException e) {
            throw new IOException("could not read " + NAME + ": " + e.getMessage(), e);
        }
    }
}
