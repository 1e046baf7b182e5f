package dev.orbweaver.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.testing.ProjectFiles;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The names of files in a crawl's directory are written once, in {@link DirectoryLayout}. */
class DirectoryLayoutTest {

    /**
     * A literal that is one of the names. A name without dot or dash is also an ordinary word: it
     * counts only as a path that is resolved or as the value of a constant.
     */
    private static final Pattern NAMES = literals(names());

    private static List<String> names() {
        return Arrays.stream(DirectoryLayout.class.getFields())
                .filter(field -> Modifier.isStatic(field.getModifiers()))
                .map(
                        field -> {
                            try {
                                return (String) field.get(null);
                            } catch (IllegalAccessException e) {
                                throw new AssertionError(e);
                            }
                        })
                .toList();
    }

    private static Pattern literals(List<String> names) {
        var unmistakable = alternatives(names, true);
        var words = alternatives(names, false);
        return Pattern.compile(
                "\"(?:%s)/?\"|\\b(?:resolve|resolveSibling|endsWith|Path\\.of)\\(\"(?:%s)/?\"|\\b[A-Z_]+\\s*=\\s*\"(?:%s)/?\""
                        .formatted(unmistakable, words, words));
    }

    private static String alternatives(List<String> names, boolean unmistakable) {
        return names.stream()
                .filter(name -> unmistakable == (name.contains(".") || name.contains("-")))
                .map(Pattern::quote)
                .collect(Collectors.joining("|"));
    }

    /** The simulated web shares no code with the crawler. */
    @Test
    void onlyTheLayoutHoldsTheNamesOfFiles() throws IOException {
        var holders = new TreeSet<String>();
        for (var file : ProjectFiles.sources()) {
            var path = ProjectFiles.ROOT.relativize(file);
            if (!path.startsWith("testkit")
                    && !path.endsWith("DirectoryLayout.java")
                    && !path.endsWith("PostgresNames.java")) { // Names of tables.
                NAMES.matcher(Files.readString(file))
                        .results()
                        .forEach(found -> holders.add(path + ": " + found.group()));
            }
        }
        assertThat(holders).isEmpty();
    }

    @Test
    void theRuleSeesWhatItShould() {
        for (var bad :
                List.of(
                        "write(\"pages.log\")",
                        "FILE = \"pages.log\";",
                        "NEXT = \"next-job\";",
                        "directory.resolve(\"frontier\")",
                        "WARC = \"warc/\";",
                        "path.endsWith(\"jobs\")")) {
            assertThat(NAMES.matcher(bad).find()).as(bad).isTrue();
        }
        for (var good :
                List.of(
                        "resolve(DirectoryLayout.PAGE_LOG)",
                        "line.path(\"warc\")",
                        "\"see crawl.log for details\"")) {
            assertThat(NAMES.matcher(good).find()).as(good).isFalse();
        }
    }
}
