package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.config.Setting;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.testing.ProjectFiles;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Whether docs/limits.md is complete and names only what exists. */
class LimitsTest {

    private static final Path DOCS = ProjectFiles.of("docs", "limits.md");

    /** A row whose first column contains only a setting. */
    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| `([a-z0-9-]+)` \\| ([^|]+) \\| [^|]+ \\| [^|]* ?\\|$");

    private static final Pattern CONSTANT = Pattern.compile("`([A-Z]\\w+)\\.([A-Z][A-Z_0-9]+)`");

    @Test
    void everySettingThatIsALimitIsThereWithItsDefault() throws IOException {
        var limits =
                Settings.CORE.all().stream()
                        .filter(LimitsTest::isLimit)
                        .collect(Collectors.toMap(Setting::key, Setting::defaultValue));
        assertThat(rows()).as("the settings in %s", DOCS).containsAllEntriesOf(limits);
    }

    private static boolean isLimit(Setting setting) {
        return switch (setting.valueType()) {
            case COUNT, FACTOR, DURATION, SIZE -> true;
            case SWITCH, TEXT, LIST, CHOICE -> false;
        };
    }

    private static Map<String, String> rows() throws IOException {
        var rows = new HashMap<String, String>();
        ROW.matcher(Files.readString(DOCS))
                .results()
                .forEach(
                        row ->
                                assertThat(rows.put(row.group(1), row.group(2)))
                                        .as("a second row of %s", row.group(1))
                                        .isNull());
        return rows;
    }

    @Test
    void everyConstantThatIsNamedExists() throws IOException {
        var missing = new ArrayList<String>();
        var sources = sources();
        CONSTANT.matcher(Files.readString(DOCS))
                .results()
                .forEach(
                        found -> {
                            var source = sources.getOrDefault(found.group(1), "");
                            if (!source.contains(" " + found.group(2) + " =")) {
                                missing.add(found.group());
                            }
                        });
        assertThat(missing).isEmpty();
        assertThat(sources).hasSizeGreaterThan(100);
    }

    /** Returns the source of every class by simple name; sources of equal names are joined. */
    private static Map<String, String> sources() throws IOException {
        var sources = new HashMap<String, String>();
        for (var file : ProjectFiles.sources()) {
            sources.merge(
                    file.getFileName().toString().replace(".java", ""),
                    Files.readString(file),
                    String::concat);
        }
        return sources;
    }
}
