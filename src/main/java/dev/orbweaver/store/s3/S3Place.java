package dev.orbweaver.store.s3;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/**
 * A place in a bucket.
 *
 * @param prefix what keys begin with, without a slash at its end; may be empty
 * @param endpoint of a server that is not Amazon's
 */
public record S3Place(String bucket, String prefix, Optional<URI> endpoint) {

    private static final String SCHEME = "s3://";

    /** Reads {@code s3://bucket/prefix}. */
    public static Optional<S3Place> of(String text, Optional<URI> endpoint) {
        if (!text.startsWith(SCHEME)) {
            return Optional.empty();
        }
        var rest = text.substring(SCHEME.length()).replaceAll("/+$", "");
        var slash = rest.indexOf('/');
        var bucket = slash < 0 ? rest : rest.substring(0, slash);
        var prefix = slash < 0 ? "" : rest.substring(slash + 1);
        return bucket.matches("[A-Za-z0-9._-]{3,255}")
                ? Optional.of(new S3Place(bucket, prefix, endpoint))
                : Optional.empty();
    }

    /** Reads the URL of a server. */
    public static Optional<URI> endpoint(String text) {
        try {
            var uri = new URI(text);
            var web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            return web && uri.getHost() != null ? Optional.of(uri) : Optional.empty();
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    /** The key of something in this place. */
    String key(String name) {
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    @Override
    public String toString() {
        return SCHEME + bucket + (prefix.isEmpty() ? "" : "/" + prefix);
    }
}
