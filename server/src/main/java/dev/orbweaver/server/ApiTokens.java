package dev.orbweaver.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The tokens of the service: a file with one per line, each alone or after the name of its owner.
 */
final class ApiTokens {

    private static final int LENGTH_MIN = 16;

    // It is passed on, never compared.
    @SuppressWarnings("ArrayRecordComponent")
    private record Token(String owner, byte[] hash) {}

    private final List<Token> tokens;

    private ApiTokens(List<Token> tokens) {
        this.tokens = List.copyOf(tokens);
    }

    static ApiTokens none() {
        return new ApiTokens(List.of());
    }

    static ApiTokens read(Path file) throws IOException {
        if (!Files.isReadable(file)) {
            throw new IOException("the token file " + file + " cannot be read");
        }
        var tokens = new ArrayList<Token>();
        var number = 0;
        for (var line : Files.readAllLines(file)) {
            number++;
            var words = line.strip().split("\\s+", -1);
            if (line.isBlank() || line.strip().startsWith("#")) {
                continue;
            }
            var token = words[words.length - 1];
            if (words.length > 2 || token.length() < LENGTH_MIN) {
                throw new IOException(
                        "%s, line %d: expected a token of at least %d characters, alone or behind a name"
                                .formatted(file, number, LENGTH_MIN));
            }
            tokens.add(new Token(words.length == 2 ? words[0] : "token-" + number, hash(token)));
        }
        if (tokens.isEmpty()) {
            throw new IOException("the token file " + file + " has no token in it");
        }
        return new ApiTokens(tokens);
    }

    boolean required() {
        return !tokens.isEmpty();
    }

    /** The owner of a token. Takes equally long for a wrong one and for a right one. */
    Optional<String> owner(String given) {
        var hash = hash(given);
        Optional<String> owner = Optional.empty();
        for (var token : tokens) {
            if (MessageDigest.isEqual(token.hash, hash)) {
                owner = Optional.of(token.owner);
            }
        }
        return owner;
    }

    private static byte[] hash(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
