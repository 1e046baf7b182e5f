package dev.orbweaver.sinks.s3;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A state of a crawl that can be restored: the objects of each file.
 *
 * <p>It is one small object in the bucket, and replacing it is the only commit point there. The
 * objects that it names are neither changed nor deleted before the next checkpoint has replaced it.
 *
 * @param version of this format
 * @param files by name below the crawl's directory
 */
record Checkpoint(int version, String job, Map<String, List<Piece>> files) {

    static final String NAME = "checkpoint.json";

    private static final int VERSION = 1;

    /**
     * A part of a file, as an object.
     *
     * @param key below the location's prefix
     * @param sha256 in hexadecimal
     */
    record Piece(String key, long length, String sha256) {}

    Checkpoint {
        files = new LinkedHashMap<>(files);
    }

    static Checkpoint empty(String job) {
        return new Checkpoint(VERSION, job, Map.of());
    }

    static Checkpoint of(String job, Map<String, List<Piece>> files) {
        return new Checkpoint(VERSION, job, files);
    }

    List<Piece> pieces(String name) {
        return files.getOrDefault(name, List.of());
    }

    Set<String> keys() {
        var keys = new HashSet<String>();
        files.values().forEach(pieces -> pieces.forEach(piece -> keys.add(piece.key)));
        return keys;
    }

    String json() {
        return JsonMapper.shared().writeValueAsString(this) + "\n";
    }

    static Checkpoint read(String json) throws IOException {
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
