package dev.orbweaver.server;

import dev.orbweaver.internal.config.InvalidArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The API tokens, read from a file with one token per line, optionally after its owner's name. */
final class ApiTokens {

    private static final int LENGTH_MIN = 16;

    // Never compared, so the array component is safe.
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
            throw new InvalidArgumentException("could not read the token file " + file);
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
                throw new InvalidArgumentException(
                        "%s, line %d: expected TOKEN or NAME TOKEN, with a token of at least %d characters"
                                .formatted(file, number, LENGTH_MIN));
            }
            tokens.add(
                    new Token(words.length == 2 ? words[0] : "token-" + number, Sha256.of(token)));
        }
        if (tokens.isEmpty()) {
            throw new InvalidArgumentException("the token file " + file + " contains no token");
        }
        return new ApiTokens(tokens);
    }

    boolean required() {
        return !tokens.isEmpty();
    }

    /** Returns the owner of a token, in constant time for valid and invalid tokens. */
    Optional<String> owner(String given) {
        var hash = Sha256.of(given);
        Optional<String> owner = Optional.empty();
        for (var token : tokens) {
            if (MessageDigest.isEqual(token.hash, hash)) {
                owner = Optional.of(token.owner);
            }
        }
        return owner;
    }
}
