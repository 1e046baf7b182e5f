package dev.orbweaver.internal.config;

import dev.orbweaver.internal.crawl.RobotsPolicy;
import dev.orbweaver.internal.robots.RobotsRules;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;

/** Parses the setting {@code robots}: obey, ignore, or rules from a file. */
public final class RobotsReader {

    /** The key of the setting. */
    public static final String KEY = "robots";

    private static final String CUSTOM = "custom ";

    private final SettingValues settingValues;
    private final CheckedValues checked;

    RobotsReader(SettingValues settingValues, CheckedValues checked) {
        this.settingValues = settingValues;
        this.checked = checked;
    }

    RobotsPolicy read(String productToken) {
        var text = settingValues.last(KEY).orElse("obey").strip();
        if (namesFile(text)) {
            return custom(text.substring(CUSTOM.length()).strip(), productToken)
                    .orElseGet(RobotsPolicy.Obey::new);
        }
        var obeyOrIgnore = Choice.ROBOTS.parse(text);
        if (obeyOrIgnore.isEmpty()) {
            checked.addInvalid(KEY, text, "obey, ignore or custom FILE");
        }
        return switch (obeyOrIgnore.orElse(Choice.ObeyOrIgnore.OBEY)) {
            case OBEY -> new RobotsPolicy.Obey();
            case IGNORE -> new RobotsPolicy.Ignore();
        };
    }

    /** Whether a value of the setting names a file on this machine. */
    public static boolean namesFile(String value) {
        return value.strip().toLowerCase(Locale.ROOT).startsWith(CUSTOM);
    }

    /** Reads the file now, and stores its absolute path for a later resume. */
    private Optional<RobotsPolicy> custom(String name, String productToken) {
        try {
            var file = Path.of(name).toAbsolutePath().normalize();
            var bytes = read(file);
            settingValues.put(KEY, CUSTOM + file);
            return Optional.of(
                    new RobotsPolicy.Custom(
                            RobotsRules.parse(bytes, bytes.length, productToken),
                            String.valueOf(file.getFileName()),
                            digest(bytes)));
        } catch (IOException | InvalidPathException e) {
            checked.addProblem(KEY, "robots: cannot read file " + CheckedValues.quote(name));
            return Optional.empty();
        }
    }

    /** Reads at most the size that is evaluated of any robots.txt. */
    private static byte[] read(Path file) throws IOException {
        try (var in = Files.newInputStream(file)) {
            return in.readNBytes(RobotsRules.BYTES_MAX);
        }
    }

    private static String digest(byte[] bytes) {
        try {
            var sha = MessageDigest.getInstance("SHA-256");
            return "sha256:" + HexFormat.of().formatHex(sha.digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is required of every Java platform", e);
        }
    }
}
