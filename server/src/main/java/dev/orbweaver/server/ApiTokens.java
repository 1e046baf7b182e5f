package dev.orbweaver.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.orbweaver.server.TokenFile.Token;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The API tokens of a service. The file is read again when it has changed, so that a token is valid
 * or revoked within about a second; a file that cannot be read changes nothing.
 */
final class ApiTokens {

    private static final Logger LOG = LoggerFactory.getLogger(ApiTokens.class);
    private static final long CHECK_NANOS = Duration.ofSeconds(1).toNanos();

    private final Optional<Path> file;
    private final LongSupplier nanos;
    private List<Token> tokens;
    private FileTime modified;
    private long checkedAt;
    private String problem = "";

    private ApiTokens(
            Optional<Path> file, List<Token> tokens, FileTime modified, LongSupplier nanos) {
        this.file = file;
        this.tokens = List.copyOf(tokens);
        this.modified = modified;
        this.nanos = nanos;
        this.checkedAt = nanos.getAsLong();
    }

    static ApiTokens none() {
        return new ApiTokens(Optional.empty(), List.of(), FileTime.fromMillis(0), System::nanoTime);
    }

    static ApiTokens read(Path file) throws IOException {
        return read(file, System::nanoTime);
    }

    /**
     * @param nanos a monotonic clock
     */
    static ApiTokens read(Path file, LongSupplier nanos) throws IOException {
        var tokens = TokenFile.read(file);
        return new ApiTokens(Optional.of(file), tokens, Files.getLastModifiedTime(file), nanos);
    }

    boolean required() {
        return file.isPresent();
    }

    synchronized List<Token> all() {
        readAgain();
        return tokens;
    }

    private void readAgain() {
        if (file.isEmpty() || nanos.getAsLong() - checkedAt < CHECK_NANOS) {
            return;
        }
        checkedAt = nanos.getAsLong();
        try {
            var now = Files.getLastModifiedTime(file.get());
            if (!now.equals(modified)) {
                tokens = TokenFile.list(file.get());
                modified = now;
                LOG.info("read {} tokens from {}", tokens.size(), file.get());
            }
            problem = "";
        } catch (IOException e) {
            var text = String.valueOf(e.getMessage());
            if (!text.equals(problem)) {
                LOG.error(
                        "could not read the changed token file; the tokens read before stay valid:"
                                + " {}",
                        text);
            }
            problem = text;
        }
    }

    /** Returns a token, in constant time for valid and invalid ones. */
    Optional<Token> find(String given) {
        return byHash(Sha256.hex(given));
    }

    /** Returns the token with a hash, if it has not been revoked. */
    Optional<Token> byHash(String hash) {
        Optional<Token> found = Optional.empty();
        for (var token : all()) {
            if (MessageDigest.isEqual(token.hash().getBytes(US_ASCII), hash.getBytes(US_ASCII))) {
                found = Optional.of(token);
            }
        }
        return found;
    }
}
