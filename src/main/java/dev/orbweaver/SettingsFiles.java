package dev.orbweaver;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.Setting;
import dev.orbweaver.config.Settings;
import dev.orbweaver.config.Values;
import dev.orbweaver.config.YamlFile;
import dev.orbweaver.disk.Disk;
import dev.orbweaver.disk.WholeFile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The settings of a crawl in its directory. Those that hold passwords and tokens have a file of
 * their own, which only its owner can read and which is never copied elsewhere; the other file
 * names them, so that a copy without them does not go on silently as another crawl. A value that
 * only names a variable of the environment is no secret.
 */
final class SettingsFiles {

    static final String FILE = "crawl.yaml";

    /** Sinks and exports copy no file whose name begins with a dot. */
    static final String SECRETS = ".secrets.yaml";

    private static final String SECRETS_HEAD = "# Secret settings of this crawl; never uploaded.\n";

    private static final String NOTE = "# stored apart in " + SECRETS + ": ";

    /** Values that name a variable of the environment in place of everything secret. */
    private static final Map<String, Pattern> REFERENCES =
            Map.of(
                    "credentials",
                    Pattern.compile("\\S+ +(?i:bearer +|basic +(?:[^:\\s]*:)?)env:\\w+"),
                    "proxy",
                    Pattern.compile("\\w+://(?:(?:[^:@/]*:)?env:\\w+@)?[^@]*"));

    /** A value that is only the name of a variable, of any setting. */
    private static final Pattern REFERENCE = Pattern.compile("env:\\w+");

    private SettingsFiles() {}

    static void write(Disk disk, Path folder, Values values) throws IOException {
        var secret =
                values.only(
                        key -> values.table().isSecret(key) && holdsSecret(key, values.list(key)));
        var names = names(secret);
        if (names.isEmpty()) {
            disk.delete(folder.resolve(SECRETS));
        } else {
            WholeFile.writePrivate(
                    disk, folder.resolve(SECRETS), SECRETS_HEAD + YamlFile.json(secret) + "\n");
        }
        var note = names.isEmpty() ? "" : NOTE + String.join(", ", names) + "\n";
        var others = YamlFile.write(values.only(key -> !secret.has(key)));
        WholeFile.write(disk, folder.resolve(FILE), note + others);
    }

    private static boolean holdsSecret(String key, List<String> texts) {
        var reference = REFERENCES.getOrDefault(key, REFERENCE);
        return texts.stream()
                .anyMatch(text -> !text.isEmpty() && !reference.matcher(text).matches());
    }

    private static List<String> names(Values values) {
        return values.table().all().stream().map(Setting::key).filter(values::has).toList();
    }

    static Values read(Path folder, Settings table) throws ConfigException {
        var values = YamlFile.read(folder.resolve(FILE), table);
        return hasSecrets(folder) ? values.putAll(secrets(folder, table)) : values;
    }

    private static boolean hasSecrets(Path folder) {
        return Files.exists(folder.resolve(SECRETS));
    }

    private static Values secrets(Path folder, Settings table) throws ConfigException {
        return YamlFile.read(folder.resolve(SECRETS), table);
    }

    /** Settings that the crawl was given and that are not here, as after a restore. */
    static List<String> missingSecrets(Path folder) throws ConfigException, IOException {
        String first;
        try (var lines = Files.lines(folder.resolve(FILE))) {
            first = lines.findFirst().orElse("");
        }
        if (!first.startsWith(NOTE)) {
            return List.of();
        }
        var here = hasSecrets(folder) ? secrets(folder, Settings.CORE) : new Values();
        return Stream.of(first.substring(NOTE.length()).split(", ", -1))
                .filter(name -> !here.has(name))
                .toList();
    }
}
