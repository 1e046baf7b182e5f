package dev.orbweaver.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** Serves the dashboard's files from the jar. */
final class Dashboard {

    private static final String DIRECTORY = "/dashboard";

    /** Longer than any file name; the limit bounds the stack that the regular expression needs. */
    private static final int PATH_MAX = 200;

    /** Only plain names, so that no path leads out of the directory. */
    private static final Pattern SAFE_PATH =
            Pattern.compile("(?:/[A-Za-z0-9_-]++)++(?:\\.[a-z0-9]++)++");

    private static final Map<String, String> TYPES =
            Map.of(
                    "html", "text/html; charset=utf-8",
                    "js", "text/javascript; charset=utf-8",
                    "css", "text/css; charset=utf-8",
                    "svg", "image/svg+xml",
                    "png", "image/png",
                    "json", "application/json",
                    "webmanifest", "application/manifest+json");

    // Never compared, so the array component is safe.
    @SuppressWarnings("ArrayRecordComponent")
    record StaticFile(byte[] bytes, String etag) {}

    /** Contains existing files only, because a caller can request any number of names. */
    private final Map<String, StaticFile> staticFiles = new ConcurrentHashMap<>();

    /** Sends a file, or status 404: to a browser as a page, to other clients as JSON. */
    void serve(ApiCall apiCall) {
        var context = apiCall.context();
        var path = context.path().equals("/") ? "/index.html" : context.path();
        var staticFile = file(path);
        if (staticFile.isEmpty()) {
            if (apiCall.header("Accept").filter(types -> types.contains("text/html")).isPresent()) {
                var missing = file("/404.html").orElseThrow();
                context.status(ProblemException.NOT_FOUND)
                        .contentType(TYPES.getOrDefault("html", ""))
                        .result(missing.bytes);
                return;
            }
            throw ProblemException.of(ProblemException.NOT_FOUND, "No file at " + path + ".");
        }
        context.header("ETag", staticFile.get().etag).header("Cache-Control", "no-cache");
        if (apiCall.header("If-None-Match").filter(staticFile.get().etag::equals).isPresent()) {
            context.status(304);
            return;
        }
        var type = TYPES.getOrDefault(path.substring(path.lastIndexOf('.') + 1), "text/plain");
        context.contentType(type).result(staticFile.get().bytes);
    }

    Optional<StaticFile> file(String path) {
        if (path.length() > PATH_MAX || !SAFE_PATH.matcher(path).matches()) {
            return Optional.empty();
        }
        var known = Optional.ofNullable(staticFiles.get(path));
        if (known.isPresent()) {
            return known;
        }
        var found = find(path);
        found.ifPresent(staticFile -> staticFiles.put(path, staticFile));
        return found;
    }

    int cachedFiles() {
        return staticFiles.size();
    }

    private static Optional<StaticFile> find(String path) {
        try (var in = Dashboard.class.getResourceAsStream(DIRECTORY + path)) {
            if (in == null) {
                return Optional.empty();
            }
            var bytes = in.readAllBytes();
            return Optional.of(new StaticFile(bytes, etag(bytes)));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "could not read a file of the dashboard from the jar", e);
        }
    }

    private static String etag(byte[] bytes) {
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            return '"' + HexFormat.of().formatHex(hash, 0, 8) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    static byte[] resource(String name) throws IOException {
        try (var in = Dashboard.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("resource " + name + " is missing in the jar");
            }
            return in.readAllBytes();
        }
    }
}
