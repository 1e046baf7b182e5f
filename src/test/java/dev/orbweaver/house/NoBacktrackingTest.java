package dev.orbweaver.house;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Code that reads content from the network uses no {@code java.util.regex}, which backtracks: a
 * page could make it run for ever or overflow the stack. It scans by hand ({@code TextScan}) or
 * uses RE2/J.
 */
class NoBacktrackingTest {

    private static final Path MAIN = Path.of("src/main/java/dev/orbweaver");

    private static final List<String> PACKAGES =
            List.of(
                    "crawl", "export", "fetch", "parse", "robots", "scope", "search", "service",
                    "sink", "url");

    /**
     * What these see was written by the program, its operator, its build or a caller of its API.
     */
    private static final Set<String> EXCEPTIONS =
            Set.of(
                    "export/Csv.java", // column names
                    "export/Query.java", // SQL of the operator
                    "export/SqlJson.java", // numbers as DuckDB writes them
                    "fetch/Access.java", // header names in the settings
                    "service/Call.java", // query parameters
                    "service/Dashboard.java", // paths of its own files
                    "service/EventsApi.java", // query parameters
                    "service/Guard.java", // the Host header of API calls
                    "service/JobsApi.java", // problems in settings
                    "service/PagesApi.java", // query parameters
                    "service/PinnedPost.java", // the status line of a webhook, cut to a length
                    "service/Service.java", // paths of API calls
                    "service/Tokens.java", // the file of tokens
                    "sink/MovedFiles.java", // a file of its own
                    "sink/Rewriter.java", // names of its own files
                    "sink/WarcFiles.java", // names of its own files
                    "sink/WarcRecords.java", // heads of its own requests
                    "sink/WarcSeries.java"); // names of its own files

    /**
     * The package, and the methods of String that use it; split does for more than one character.
     */
    private static final Pattern REGEX =
            Pattern.compile(
                    "java\\.util\\.regex|\\.replaceAll\\((?!\\(_)|\\.replaceFirst\\(\"|\\.matches\\(\""
                        + "|\\.split\\(\"(?!(?:[^\"\\\\.$|()\\[{^?*+]|\\\\[tn])\")");

    @Test
    void codeThatReadsContentUsesNoBacktrackingExpressions() throws IOException {
        var users = new java.util.TreeSet<String>();
        for (var name : PACKAGES) {
            try (var files = Files.walk(MAIN.resolve(name))) {
                for (var file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    var text = Files.readString(file);
                    var re2 = text.contains("import com.google.re2j.Pattern;");
                    if (REGEX.matcher(text)
                            .results()
                            .anyMatch(found -> !re2 || !isOfRe2(found.group()))) {
                        users.add(MAIN.relativize(file).toString());
                    }
                }
            }
        }
        assertThat(users.stream().filter(user -> !EXCEPTIONS.contains(user)).toList()).isEmpty();
        assertThat(
                        EXCEPTIONS.stream()
                                .filter(user -> !users.contains(user))
                                .collect(Collectors.toSet()))
                .as("exceptions that are none any more")
                .isEmpty();
    }

    /** RE2/J's matchers have methods of the same names. */
    private static boolean isOfRe2(String found) {
        return found.startsWith(".replace");
    }

    @Test
    void theRuleSeesWhatItShould() {
        for (var bad :
                List.of(
                        "import java.util.regex.Pattern;",
                        "text.replaceAll(\"a\", \"\")",
                        "text.split(\"\\\\s+\", -1)",
                        "text.split(\", \", -1)",
                        "text.matches(\"a*\")")) {
            assertThat(REGEX.matcher(bad).find()).as(bad).isTrue();
        }
        for (var good : List.of("text.split(\"\\t\", -1)", "text.split(\",\", -1)")) {
            assertThat(REGEX.matcher(good).find()).as(good).isFalse();
        }
    }
}
