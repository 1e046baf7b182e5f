package dev.orbweaver.server;

import dev.orbweaver.internal.config.InvalidArgumentException;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.DirectoryLock;
import dev.orbweaver.internal.disk.RealDisk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The file of API tokens. A line is {@code [NAME] TOKEN [role=ROLE] [QUOTA=N ...]}, where TOKEN is
 * {@code sha256:HASH} or, in a file written by hand, the token itself. A token without a name is
 * named by its hash, so that the name does not depend on other lines.
 */
public final class TokenFile {

    private static final int LENGTH_MIN = 16;
    private static final int TOKEN_BYTES = 32;
    private static final int QUOTA_MAX = 1_000_000_000;
    private static final int NAME_DIGITS = 12;
    private static final int LOCK_TRIES = 50;
    private static final String HASHED = "sha256:";
    private static final String NAME = "[A-Za-z0-9._@-]{1,100}";

    private TokenFile() {}

    /**
     * Limits of a token.
     *
     * @param jobs that have not ended
     * @param pagesPerDay pages stored by its jobs and scrapes in a day, in UTC
     * @param concurrency of all its jobs that have not ended together
     */
    public record Quotas(OptionalInt jobs, OptionalInt pagesPerDay, OptionalInt concurrency) {

        public static final Quotas NONE =
                new Quotas(OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty());

        public String text() {
            var text = new StringBuilder();
            jobs.ifPresent(value -> text.append(" jobs=").append(value));
            pagesPerDay.ifPresent(value -> text.append(" pages-per-day=").append(value));
            concurrency.ifPresent(value -> text.append(" concurrency=").append(value));
            return text.toString();
        }
    }

    /**
     * A token.
     *
     * @param hash SHA-256 of the token, in hexadecimal
     */
    public record Token(String name, String hash, Role role, Quotas quotas) {}

    /** Reads a file, in which there is at least one token. */
    static List<Token> read(Path file) throws IOException {
        if (!Files.isReadable(file)) {
            throw new InvalidArgumentException("could not read the token file " + file);
        }
        var tokens = parse(file);
        if (tokens.isEmpty()) {
            throw new InvalidArgumentException("the token file " + file + " contains no token");
        }
        return tokens;
    }

    private static List<Token> parse(Path file) throws IOException {
        var tokens = new ArrayList<Token>();
        var names = new HashSet<String>();
        var number = 0;
        for (var line : Files.readAllLines(file)) {
            number++;
            if (!line.isBlank() && !line.strip().startsWith("#")) {
                var token = token(line.strip());
                if (token.isEmpty()) {
                    throw new InvalidArgumentException(
                            "%s, line %d: expected [NAME] TOKEN [role=viewer|operator|admin] [jobs=N] [pages-per-day=N] [concurrency=N], with a token of at least %d characters"
                                    .formatted(file, number, LENGTH_MIN));
                }
                if (!names.add(token.get().name)) {
                    throw new InvalidArgumentException(
                            "%s, line %d: a second token with the name %s"
                                    .formatted(file, number, token.get().name));
                }
                tokens.add(token.get());
            }
        }
        return tokens;
    }

    private static Optional<Token> token(String line) {
        var words = new ArrayList<>(List.of(line.split("\\s+", -1)));
        var role = Role.ADMIN;
        var quotas = Quotas.NONE;
        while (words.size() > 1 && isOption(words.getLast())) {
            var option = words.removeLast();
            var value = option.substring(option.indexOf('=') + 1);
            if (option.startsWith("role=")) {
                var known = Role.byId(value);
                if (known.isEmpty()) {
                    return Optional.empty();
                }
                role = known.get();
            } else {
                var changed = withQuota(quotas, option.substring(0, option.indexOf('=')), value);
                if (changed.isEmpty()) {
                    return Optional.empty();
                }
                quotas = changed.get();
            }
        }
        var text = words.removeLast();
        if (words.size() > 1 || text.length() < LENGTH_MIN) {
            return Optional.empty();
        }
        var hash = text.startsWith(HASHED) ? text.substring(HASHED.length()) : Sha256.hex(text);
        if (!hash.matches("[0-9a-f]{64}")) {
            return Optional.empty();
        }
        var name = words.isEmpty() ? "token-" + hash.substring(0, NAME_DIGITS) : words.getFirst();
        return Optional.of(new Token(name, hash, role, quotas));
    }

    private static boolean isOption(String word) {
        return word.matches("(role|jobs|pages-per-day|concurrency)=.*");
    }

    /** Returns quotas with another value; empty if the name or the value is not valid. */
    public static Optional<Quotas> withQuota(Quotas quotas, String name, String value) {
        if (!value.matches("\\d{1,9}") || Integer.parseInt(value) > QUOTA_MAX) {
            return Optional.empty();
        }
        var number = OptionalInt.of(Integer.parseInt(value));
        return switch (name) {
            case "jobs" -> Optional.of(new Quotas(number, quotas.pagesPerDay, quotas.concurrency));
            case "pages-per-day" ->
                    Optional.of(new Quotas(quotas.jobs, number, quotas.concurrency));
            case "concurrency" -> Optional.of(new Quotas(quotas.jobs, quotas.pagesPerDay, number));
            default -> Optional.empty();
        };
    }

    /** Returns the tokens of a file, which need not exist. */
    public static List<Token> list(Path file) throws IOException {
        return Files.exists(file) ? parse(file) : List.of();
    }

    /** Adds a token to a file, which only its owner can read, and returns the token. */
    public static String create(Path file, String name, Role role, Quotas quotas)
            throws IOException {
        if (!name.matches(NAME)) {
            throw new InvalidArgumentException(
                    "a name has 1 to 100 letters, digits and characters of ._@-, not '"
                            + name
                            + "'");
        }
        try (var _ = lock(file)) {
            return add(file, name, role, quotas);
        }
    }

    /** Acquires the lock of a file: of two changes at a time, one would be lost. */
    private static DirectoryLock lock(Path file) throws IOException {
        for (var tries = 0; tries < LOCK_TRIES; tries++) {
            var lock =
                    DirectoryLock.tryLock(
                            file.resolveSibling(file.getFileName() + DirectoryLayout.LOCK));
            if (lock.isPresent()) {
                return lock.get();
            }
        }
        throw new InvalidArgumentException(
                "another process changes the token file " + file + "; repeat the command later");
    }

    private static String add(Path file, String name, Role role, Quotas quotas) throws IOException {
        if (list(file).stream().anyMatch(token -> token.name.equals(name))) {
            throw new InvalidArgumentException(
                    "there is a token with the name " + name + "; revoke it first");
        }
        var bytes = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(bytes);
        var token = HexFormat.of().formatHex(bytes);
        var lines = new ArrayList<>(Files.exists(file) ? Files.readAllLines(file) : List.of());
        lines.add(
                "%s %s%s role=%s%s"
                        .formatted(name, HASHED, Sha256.hex(token), role.id(), quotas.text()));
        write(file, lines);
        return token;
    }

    /** Removes the token with a name. */
    public static void revoke(Path file, String name) throws IOException {
        if (!Files.exists(file)) {
            throw noSuchToken(file, name);
        }
        try (var _ = lock(file)) {
            remove(file, name);
        }
    }

    private static InvalidArgumentException noSuchToken(Path file, String name) {
        return new InvalidArgumentException(
                "%s has no token with the name %s".formatted(file, name));
    }

    private static void remove(Path file, String name) throws IOException {
        var kept = new ArrayList<String>();
        var found = false;
        for (var line : Files.readAllLines(file)) {
            var isToken = !line.isBlank() && !line.strip().startsWith("#");
            if (isToken && token(line.strip()).filter(it -> it.name.equals(name)).isPresent()) {
                found = true;
            } else {
                kept.add(line);
            }
        }
        if (!found) {
            throw noSuchToken(file, name);
        }
        write(file, kept);
    }

    private static void write(Path file, List<String> lines) throws IOException {
        var text = lines.isEmpty() ? "" : String.join("\n", lines) + "\n";
        AtomicFile.replacePrivate(new RealDisk(), file, text.getBytes(StandardCharsets.UTF_8));
    }
}
