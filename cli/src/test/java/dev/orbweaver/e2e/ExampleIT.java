package dev.orbweaver.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import javax.tools.ToolProvider;

/**
 * The examples and the code of the documents, compiled against the installed artifact of core and
 * run in processes of their own. Nothing of this build's class path is used: see {@link
 * ExampleProject}.
 */
class ExampleIT {

    private static final int TABLE_PAGES = 60;
    private static final int SECONDS_MAX = 60;

    @TempDir static Path directory;

    private static ExampleSite site;
    private static ExampleProject project;

    /** Programs that are started together, because they wait for politeness most of the time. */
    private static final Map<String, Program> PROGRAMS = new HashMap<>();

    private record Program(Process process, Path output) {

        String awaitOutput(int exitCode) throws IOException, InterruptedException {
            var isDone = process.waitFor(SECONDS_MAX, TimeUnit.SECONDS);
            var text = Files.readString(output);
            assertThat(isDone).as("done: %s", text).isTrue();
            assertThat(process.exitValue()).as(text).isEqualTo(exitCode);
            return text;
        }
    }

    @BeforeAll
    static void buildAndStart() throws Exception {
        site = new ExampleSite();
        project = ExampleProject.build(directory);
        site.page("/filter/", link("/filter/a") + link("/filter/a?print=1") + link("/archive/20"));
        site.page("/filter/a", link("/filter/b?x=1&print=2"));
        site.page("/archive/20", link("/archive/19") + link("/filter/c"));
        site.page("/archive/19", "old");
        site.page("/filter/c", "c");
        start("OwnLinkFilter", site.url("/filter/"));

        site.file("/csv/list.csv", "text/csv", "url,name\n/csv/one,One\nmailto:a@b,No\ntwo,Two\n");
        site.page("/csv/one", "<title>One</title>");
        site.page("/csv/two", "<title>Two</title>");
        start("OwnParser", site.url("/csv/list.csv"));

        site.page("/shop/", link("/shop/1") + link("/shop/2"));
        site.page(
                "/shop/1",
                "<div class=product><h1>Lamp</h1><b class=price>&euro; 12.50</b>"
                        + "<ul class=tags><li>light</li><li>home</li></ul></div>");
        site.page("/shop/2", "<div class=product><h1>Gift</h1></div>");
        start("CssExtraction", site.url("/shop/"));

        site.page("/links/", link("/links/ok") + link("/links/gone"));
        site.page("/links/ok", link(site.externalUrl("/there")) + link(site.externalUrl("/lost")));
        site.externalPage("/there", link("/never"));
        start("LinkChecker", site.url("/links/"));
        site.page("/fine/", link("/fine/"));
        startIn("fine", "LinkChecker", site.url("/fine/"));

        site.page("/list/a", "first " + link("/list/c"));
        site.file("/list/b", "text/plain", "x".repeat(300_000));
        var list = Files.writeString(directory.resolve("urls.txt"), list("/list/a", "/list/b"));
        start("CrawlAList", list.toString());
    }

    private static String list(String... paths) {
        var text = new StringBuilder();
        for (var path : paths) {
            text.append(site.url(path)).append("\n");
        }
        return text.append("\n").toString();
    }

    @AfterAll
    static void stop() throws InterruptedException {
        for (var program : PROGRAMS.values()) {
            program.process.destroyForcibly().waitFor();
        }
        site.close();
    }

    private static String link(String url) {
        return "<a href='" + url + "'>link</a>";
    }

    private static void start(String name, String seed) throws IOException {
        startIn(name, name, seed);
    }

    private static void startIn(String key, String name, String seed) throws IOException {
        PROGRAMS.put(key, launch(name, seed, directory.resolve(key)));
    }

    private static Program launch(String name, String seed, Path out) throws IOException {
        var output = Files.createTempFile(directory, name, ".txt");
        var process =
                new ProcessBuilder(
                                ProgramResult.java(),
                                "-Xmx256m",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                project.classPath(),
                                "dev.orbweaver.examples." + name,
                                seed,
                                out.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        return new Program(process, output);
    }

    private static String output(String name, int exitCode) throws Exception {
        return PROGRAMS.get(name).awaitOutput(exitCode);
    }

    @Test
    void theClassPathComesFromTheCoordinatesAlone() {
        assertThat(project.classPath().split(":", -1))
                .anyMatch(jar -> jar.endsWith("/orbweaver-core-" + project.version() + ".jar"))
                .noneMatch(jar -> jar.startsWith(ProgramResult.ROOT.toString()))
                .noneMatch(jar -> jar.contains("orbweaver-testkit"))
                .allMatch(jar -> jar.startsWith(directory.toString()));
    }

    @Test
    void aLinkFilterDecidesWhichLinksAreFollowed() throws Exception {
        assertThat(output("OwnLinkFilter", 0).lines())
                .contains(site.url("/filter/"), site.url("/archive/20"), site.url("/filter/c"))
                .contains("4 pages, refused links: {rule=3}");
        assertThat(site.requested()).doesNotContain("/filter/a?print=1", "/archive/19");
    }

    @Test
    void aParserReadsItsMediaType() throws Exception {
        assertThat(output("OwnParser", 0).lines())
                .contains(
                        "url,name " + site.url("/csv/list.csv"),
                        "One " + site.url("/csv/one"),
                        "Two " + site.url("/csv/two"),
                        "3 pages");
    }

    @Test
    void selectorsExtractFields() throws Exception {
        assertThat(output("CssExtraction", 0).lines())
                .containsExactlyInAnyOrder(
                        site.url("/shop/1") + " {name=Lamp, tags=[light, home], price=12.5}",
                        site.url("/shop/2") + " {name=Gift, tags=[]}");
    }

    @Test
    void theLinkCheckerNamesBrokenLinksAndFailsTheBuild() throws Exception {
        assertThat(output("LinkChecker", 1).lines())
                .containsExactlyInAnyOrder(
                        site.url("/links/gone")
                                + " (status 404), linked from "
                                + site.url("/links/"),
                        site.externalUrl("/lost")
                                + " (status 404), linked from "
                                + site.url("/links/ok"),
                        "5 URLs checked, 2 broken");
        assertThat(site.requested()).doesNotContain("/never");
        assertThat(output("fine", 0)).contains("1 URLs checked, 0 broken");
    }

    @Test
    void aListIsFetchedWithoutItsLinks() throws Exception {
        assertThat(output("CrawlAList", 0)).contains("2 pages, 0 failed");
        assertThat(site.requested()).contains("/list/a", "/list/b").doesNotContain("/list/c");
        try (var files = Files.list(directory.resolve("CrawlAList/files"))) {
            assertThat(files.map(ExampleIT::size)).containsExactlyInAnyOrder(300_000L, 32L);
        }
    }

    private static long size(Path file) {
        return file.toFile().length();
    }

    /** The program is killed three times in the middle and then runs to the end. */
    @Test
    void theTableHasEveryPageExactlyOnceAfterKills() throws Exception {
        var hub = new StringBuilder("<h1>Hub</h1><b class=price>0</b>");
        for (var i = 1; i < TABLE_PAGES; i++) {
            hub.append(link("/table/" + i));
            site.page(
                    "/table/" + i,
                    "<title>t</title><h1>Name %d</h1><b class=price>%d.50</b>".formatted(i, i));
        }
        site.page("/table/", hub.toString());
        var out = directory.resolve("table");
        for (var kill = 1; kill <= 3; kill++) {
            var program = launch("PagesToTable", site.url("/table/"), out);
            var pages = kill * TABLE_PAGES / 4;
            while (program.process.isAlive() && site.count("/table/") < pages) {
                Thread.sleep(5);
            }
            assertThat(program.process.isAlive()).as(Files.readString(program.output)).isTrue();
            program.process.destroyForcibly().waitFor();
        }
        assertThat(launch("PagesToTable", site.url("/table/"), out).awaitOutput(0))
                .contains(TABLE_PAGES + " pages");
        assertThat(rows("jdbc:h2:" + out.resolve("pages")))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, TABLE_PAGES)
                                .mapToObj(
                                        i ->
                                                i == 0
                                                        ? site.url("/table/") + " Hub 0"
                                                        : "%s Name %d %d.50"
                                                                .formatted(
                                                                        site.url("/table/" + i),
                                                                        i,
                                                                        i))
                                .toList());
    }

    private static List<String> rows(String database) throws SQLException {
        var found = new ArrayList<String>();
        try (var connection = DriverManager.getConnection(database);
                var statement = connection.createStatement();
                var rows = statement.executeQuery("select url, name, price from page")) {
            while (rows.next()) {
                found.add(rows.getString(1) + " " + rows.getString(2) + " " + rows.getString(3));
            }
        }
        return found;
    }

    /** Each block is the body of a method with the parameters that the document introduces. */
    @Test
    void theCodeInTheDocumentsCompiles() throws Exception {
        var source =
                new StringBuilder(
                        """
                        import dev.orbweaver.*;
                        import dev.orbweaver.config.*;
                        import dev.orbweaver.model.*;
                        import dev.orbweaver.spi.*;
                        import java.io.*;
                        import java.nio.file.*;
                        import java.time.*;
                        import java.util.*;
                        class Snippets {
                        """);
        var blocks = 0;
        for (var document : List.of("README.md", "docs/library.md")) {
            var text = Files.readString(ProgramResult.ROOT.resolve(document));
            var matcher = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(text);
            while (matcher.find()) {
                source.append("void snippet%d() throws Exception {\n".formatted(blocks++))
                        .append(matcher.group(1))
                        .append("}\n");
            }
        }
        assertThat(blocks).isGreaterThan(10);
        var file = directory.resolve("Snippets.java");
        Files.writeString(file, source.append("}\n"));
        var errors = new java.io.ByteArrayOutputStream();
        var exit =
                ToolProvider.getSystemJavaCompiler()
                        .run(
                                null,
                                null,
                                errors,
                                "-proc:none",
                                "-cp",
                                project.classPath(),
                                "-d",
                                directory.resolve("snippets").toString(),
                                file.toString());
        assertThat(exit).as(errors.toString(StandardCharsets.UTF_8)).isZero();
    }
}
