package dev.orbweaver.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.ProjectFiles;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
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

    private static final String ROOT_PACKAGE = "src/main/java/dev/orbweaver/";

    private static final List<String> PACKAGES =
            List.of(
                    "internal/archive",
                    "internal/crawl",
                    "internal/explain",
                    "internal/fetch",
                    "internal/parse",
                    "internal/robots",
                    "internal/scope",
                    "internal/sink",
                    "internal/traps",
                    "internal/url",
                    "internal/xml",
                    "export",
                    "server");

    /**
     * What these see was written by the program, its operator, its build or a caller of its API.
     */
    private static final Set<String> EXCEPTIONS =
            Set.of(
                    "export/CsvWriter.java", // column names
                    "export/SqlQuery.java", // SQL of the operator
                    "export/SqlJson.java", // numbers as DuckDB writes them
                    "internal/fetch/RequestOptions.java", // header names in the settings
                    "server/ApiCall.java", // query parameters
                    "server/Dashboard.java", // paths of its own files
                    "server/EventsApi.java", // query parameters
                    "server/AccessControl.java", // the Host header of API calls
                    "server/PagesApi.java", // query parameters
                    "server/metrics/MetricsServer.java", // paths of requests
                    "server/WebhookClient.java", // the status line of a webhook, cut to a length
                    "server/CrawlServer.java", // paths of API calls
                    "server/TokenFile.java", // the file of tokens
                    "server/TemplatesApi.java", // names in API calls
                    "internal/archive/PageQuery.java", // status codes of the operator
                    "internal/sink/MovedFiles.java", // a file of its own
                    "internal/sink/WarcRewriter.java", // names of its own files
                    "internal/sink/WarcFiles.java", // names of its own files
                    "internal/sink/WarcRecords.java", // heads of its own requests
                    "internal/sink/WarcSeries.java"); // names of its own files

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
        for (var file : ProjectFiles.sources()) {
            var path = file.toString();
            var name = path.substring(path.indexOf(ROOT_PACKAGE) + ROOT_PACKAGE.length());
            var text = Files.readString(file);
            var re2 = text.contains("import com.google.re2j.Pattern;");
            if (PACKAGES.stream().anyMatch(each -> name.startsWith(each + "/"))
                    && REGEX.matcher(text)
                            .results()
                            .anyMatch(found -> !re2 || !isOfRe2(found.group()))) {
                users.add(name);
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
