package dev.orbweaver.sinks.s3;

import dev.orbweaver.sinks.backup.PieceStore;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * A location in a bucket.
 *
 * @param prefix of keys, without a trailing slash; may be empty
 * @param endpoint of a server that is not Amazon's
 */
public record S3Location(String bucket, String prefix, Optional<URI> endpoint) {

    private static final String SCHEME = "s3://";

    /** Valid bucket names. */
    private static final Pattern BUCKET =
            Pattern.compile("(?!.*\\.\\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");

    /** Parses {@code s3://bucket/prefix}. */
    public static Optional<S3Location> parse(String text, Optional<URI> endpoint) {
        if (!text.startsWith(SCHEME)) {
            return Optional.empty();
        }
        var rest = text.substring(SCHEME.length()).replaceAll("/+$", "");
        var slash = rest.indexOf('/');
        var bucket = slash < 0 ? rest : rest.substring(0, slash);
        var prefix = slash < 0 ? "" : rest.substring(slash + 1);
        return BUCKET.matcher(bucket).matches()
                ? Optional.of(new S3Location(bucket, prefix, endpoint))
                : Optional.empty();
    }

    /** Returns what is wrong with an invalid location, as a predicate without a subject. */
    public static String errorMessage(String text) {
        if (!text.startsWith(SCHEME)) {
            return "is not s3://BUCKET/PREFIX";
        }
        return "has an invalid bucket name: use 3 to 63 lower-case letters, digits, dots and"
                + " hyphens, beginning and ending with a letter or digit";
    }

    public static Optional<URI> endpoint(String text) {
        try {
            var uri = new URI(text);
            var web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            return web && uri.getHost() != null ? Optional.of(uri) : Optional.empty();
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    /**
     * Opens the location for backups and restores.
     *
     * @param transferred counts transferred bytes
     */
    public PieceStore open(AtomicLong transferred) throws IOException {
        return Bucket.open(this, transferred);
    }

    String key(String name) {
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    @Override
    public String toString() {
        return SCHEME + bucket + (prefix.isEmpty() ? "" : "/" + prefix);
    }
}
