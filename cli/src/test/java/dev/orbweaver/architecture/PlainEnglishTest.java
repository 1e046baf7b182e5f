package dev.orbweaver.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.ProjectFiles;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Rejects idioms that are not plain technical English, in sources, resources and documents.
 *
 * <p>The list is not complete and is not a style guide: it has the words that once made texts hard
 * to search and to translate. Matches are whole words, also across line breaks in comments and
 * across concatenated strings.
 */
class PlainEnglishTest {

    private static final List<String> IDIOMS =
            List.of(
                    "whoever",
                    "whatever",
                    "nobody",
                    "somebody",
                    "anew",
                    "mend(?:s|ed|ing)?",
                    "for ever",
                    "by and by",
                    "as it were",
                    "the same with",
                    "(?:is|are|was|were) told",
                    "tells of",
                    "comes again",
                    "goes by",
                    "so many",
                    "so long",
                    "otherwise treated",
                    "treated otherwise",
                    "stands in",
                    "lies in",
                    "told apart",
                    "dear",
                    "hardly");

    private static final Pattern IDIOM =
            Pattern.compile(
                    "\\b(?:" + String.join("|", IDIOMS).replace(" ", "\\s+") + ")\\b",
                    Pattern.CASE_INSENSITIVE);

    /**
     * What may separate the words of a phrase: a line break with the marks of a comment, or the end
     * of a string and the beginning of the next.
     */
    private static final Pattern JOINT =
            Pattern.compile(" ?\"\\s*\\+\\s*\" ?|\\n\\s*(?:\\*|//|--|#)?[ \\t]*");

    private static final Set<String> EXTENSIONS =
            Set.of("java", "js", "html", "css", "lua", "json", "md", "yaml", "service");

    /** Lines with a match that is a quotation or a technical term, as FILE: TEXT OF THE MATCH. */
    private static final Set<String> ALLOWED = Set.of();

    @Test
    void noTextHasAnIdiom() throws IOException {
        var found = new ArrayList<String>();
        for (var file : files()) {
            var name = ProjectFiles.ROOT.relativize(file).toString();
            var text = Files.readString(file);
            IDIOM.matcher(joined(text))
                    .results()
                    .map(match -> name + ": " + match.group().replaceAll("\\s+", " "))
                    .filter(match -> !ALLOWED.contains(match))
                    .forEach(found::add);
        }
        assertThat(found).isEmpty();
    }

    @Test
    void theRuleFindsPhrasesAcrossLinesAndStringsButNotPartsOfWords() {
        for (var bad :
                List.of(
                        "// It waits for\n    // ever.",
                        "/** It waits for\n     * ever. */",
                        "\"it waits for\"\n    + \" ever\"",
                        "Nobody reads it.",
                        "a file that lies in DIR")) {
            assertThat(IDIOM.matcher(joined(bad)).find()).as(bad).isTrue();
        }
        for (var good : List.of("recommended", "it belongs to", "dearth", "also long", "forever")) {
            assertThat(IDIOM.matcher(joined(good)).find()).as(good).isFalse();
        }
    }

    private static String joined(String text) {
        return JOINT.matcher(text).replaceAll(" ");
    }

    /** Sources and resources of all modules, and the documents. */
    private static Set<Path> files() throws IOException {
        var roots =
                new ArrayList<Path>(List.of(ProjectFiles.of("docs"), ProjectFiles.of("deploy")));
        var files = new ArrayList<Path>();
        try (var entries = Files.list(ProjectFiles.ROOT)) {
            for (var entry : entries.toList()) {
                if (Files.isRegularFile(entry)) {
                    files.add(entry);
                } else if (Files.isDirectory(entry.resolve("src/main"))) {
                    roots.add(entry.resolve("src/main"));
                }
            }
        }
        for (var root : roots) {
            try (var walk = Files.walk(root)) {
                walk.filter(Files::isRegularFile).forEach(files::add);
            }
        }
        return files.stream()
                .filter(file -> EXTENSIONS.contains(extension(file)))
                .collect(Collectors.toCollection(java.util.TreeSet::new));
    }

    private static String extension(Path file) {
        var name = file.getFileName().toString();
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
