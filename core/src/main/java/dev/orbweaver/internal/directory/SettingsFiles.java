package dev.orbweaver.internal.directory;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.Setting;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The settings of a crawl in its directory.
 *
 * <p>Settings that contain passwords and tokens are stored in a separate file, which only its owner
 * can read and which is never copied elsewhere. The main file lists their keys, so a copy without
 * the secrets does not silently continue as a different crawl. A value that only names an
 * environment variable is not a secret.
 */
public final class SettingsFiles {

    private static final String SECRETS_HEAD = "# Secret settings of this crawl; never uploaded.\n";

    private static final String NOTE = "# stored apart in " + DirectoryLayout.SECRETS + ": ";

    /** Lists secrets that were read from environment variables of their own and are not stored. */
    private static final String ENVIRONMENT_NOTE = "# not stored, from the environment: ";

    /** Values that refer to an environment variable in place of every secret part. */
    private static final Map<String, Pattern> REFERENCES =
            Map.of(
                    "credentials",
                    Pattern.compile("\\S+ +(?i:bearer +|basic +(?:[^:\\s]*:)?)env:\\w+"),
                    "proxy",
                    Pattern.compile("\\w+://(?:(?:[^:@/]*:)?env:\\w+@)?[^@]*"));

    /** A value of any setting that is only the name of an environment variable. */
    private static final Pattern REFERENCE = Pattern.compile("env:\\w+");

    private SettingsFiles() {}

    public static void write(Disk disk, Path directory, SettingValues settingValues)
            throws IOException {
        var secret =
                settingValues.filter(
                        key ->
                                settingValues.table().isSecret(key)
                                        && holdsSecret(key, settingValues.list(key)));
        var given = secret.filter(key -> secret.variable(key).isPresent());
        var stored = secret.filter(key -> !given.has(key));
        var names = names(stored);
        if (names.isEmpty()) {
            disk.delete(directory.resolve(DirectoryLayout.SECRETS));
        } else {
            AtomicFile.writePrivate(
                    disk,
                    directory.resolve(DirectoryLayout.SECRETS),
                    SECRETS_HEAD + YamlFile.toJson(stored) + "\n");
        }
        var note = note(NOTE, names) + note(ENVIRONMENT_NOTE, names(given));
        var others = YamlFile.write(settingValues.filter(key -> !secret.has(key)));
        AtomicFile.write(disk, directory.resolve(DirectoryLayout.SETTINGS), note + others);
    }

    private static String note(String text, List<String> names) {
        return names.isEmpty() ? "" : text + String.join(", ", names) + "\n";
    }

    private static boolean holdsSecret(String key, List<String> texts) {
        var reference = REFERENCES.getOrDefault(key, REFERENCE);
        return texts.stream()
                .anyMatch(text -> !text.isEmpty() && !reference.matcher(text).matches());
    }

    private static List<String> names(SettingValues settingValues) {
        return settingValues.table().all().stream()
                .map(Setting::key)
                .filter(settingValues::has)
                .toList();
    }

    public static SettingValues read(Path directory, Settings table) throws ConfigException {
        var settingValues = YamlFile.read(directory.resolve(DirectoryLayout.SETTINGS), table);
        return hasSecrets(directory)
                ? settingValues.putAll(secrets(directory, table))
                : settingValues;
    }

    private static boolean hasSecrets(Path directory) {
        return Files.exists(directory.resolve(DirectoryLayout.SECRETS));
    }

    private static SettingValues secrets(Path directory, Settings table) throws ConfigException {
        return YamlFile.read(directory.resolve(DirectoryLayout.SECRETS), table);
    }

    /**
     * Returns the secret settings that the crawl had and that are missing here, as after a restore.
     */
    public static List<String> missingSecrets(Path directory) throws ConfigException, IOException {
        var names = new ArrayList<String>();
        try (var lines = Files.lines(directory.resolve(DirectoryLayout.SETTINGS))) {
            for (var line : lines.takeWhile(line -> line.startsWith("#")).toList()) {
                for (var note : List.of(NOTE, ENVIRONMENT_NOTE)) {
                    if (line.startsWith(note)) {
                        names.addAll(List.of(line.substring(note.length()).split(", ", -1)));
                    }
                }
            }
        }
        var here = hasSecrets(directory) ? secrets(directory, Settings.CORE) : new SettingValues();
        names.removeIf(here::has);
        return names;
    }
}
