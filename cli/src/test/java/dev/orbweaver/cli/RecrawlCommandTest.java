package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcRevisit;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

@Slow
class RecrawlCommandTest {

    private static final String TEXT =
            "The manual explains how each part is installed. ".repeat(30);

    @TempDir Path directory;
    private ChangingSite site;

    @BeforeEach
    void crawl() throws Exception {
        site = new ChangingSite();
        site.page("/", "All pages of the manual.");
        for (var i = 0; i < 12; i++) {
            site.page("/page" + i, TEXT + "This is part " + i + ".");
        }
        site.file("/robots.txt", "Sitemap: " + site.url() + "sitemap.xml\n");
        site.file("/sitemap.xml", sitemap(Instant.now().minus(Duration.ofDays(9)), "/page1"));
        site.page("/plain/a", TEXT + "No validators.");
        site.page("/plain/b", TEXT + "No validators either.");
        assertThat(run("crawl", site.url(), "--out", out(), "--delay=0", "--quiet").code())
                .isZero();
        assertThat(site.takeRequests()).anyMatch(request -> request.startsWith("/page1 200 "));
    }

    @AfterEach
    void close() {
        site.close();
    }

    private String sitemap(Instant date, String... paths) {
        var urls = new StringBuilder();
        for (var path : paths) {
            urls.append("<url><loc>").append(site.url()).append(path.substring(1));
            urls.append("</loc><lastmod>").append(date).append("</lastmod></url>");
        }
        return "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>" + urls + "</urlset>";
    }

    private static CommandResult run(Object... words) {
        return CommandResult.run(
                List.of(words).stream().map(Object::toString).toArray(String[]::new));
    }

    private Path out() {
        return directory.resolve("out");
    }

    private List<PageLogEntry> log() throws IOException {
        var entries = new ArrayList<PageLogEntry>();
        PageLog.read(out().resolve(DirectoryLayout.PAGE_LOG), entries::add);
        return entries;
    }

    @Test
    void onlyChangedPagesAreTransferredAndListed() throws Exception {
        site.page("/page3", TEXT + "This is the new text of part three.");
        site.page("/new", TEXT + "This part is new.");
        site.page("/plain/b", TEXT + "No validators, but another text.");
        var recrawl = run("recrawl", out(), "--all", "--quiet");
        assertThat(recrawl.code()).as(recrawl.err()).isZero();
        assertThat(site.takeRequests())
                .filteredOn(request -> request.contains(" 200 "))
                .extracting(request -> request.substring(0, request.indexOf(' ')))
                .containsExactlyInAnyOrder(
                        "/", "/sitemap.xml", "/page3", "/new", "/plain/a", "/plain/b");
        try (var lists = Files.list(out().resolve(DirectoryLayout.SEEDS))) {
            for (var list : lists.toList()) { // As of a copy of the directory.
                Files.setLastModifiedTime(list, FileTime.from(Instant.now().plusSeconds(60)));
            }
        }
        var changes = run("changes", out());
        assertThat(changes.out())
                .contains("new      " + site.url() + "new\n")
                .contains("changed  " + site.url() + "page3\n")
                .contains("+This is the new text of part three.");
        assertThat(changes.err()).contains("1 new, 0 gone, 2 changed, 13 unchanged");
        var listed =
                run("changes", out(), "--format=jsonl", "--all-kinds", "--quiet").out().lines();
        assertThat(listed.map(JsonMapper.shared()::readTree))
                .extracting(
                        change ->
                                change.path("kind").asString()
                                        + " "
                                        + change.path("url")
                                                .asString()
                                                .substring(site.url().length() - 1))
                .containsExactlyInAnyOrder(
                        "new /new",
                        "changed /page3",
                        "changed /plain/b",
                        "markup /plain/a",
                        "markup /");
        var verified = run("verify", out());
        assertThat(verified.code()).as(verified.out() + verified.err()).isZero();
    }

    @Test
    void aChangeIsReportedForTheVisitThatFoundIt() throws Exception {
        var since = Instant.now();
        site.page("/page3", TEXT + "This is the new text of part three.");
        assertThat(run("recrawl", out(), "--all", "--quiet").code()).isZero();
        var once = run("changes", out(), "--since", since, "--format=jsonl", "--quiet").out();
        var feed = run("changes", out(), "--since", since, "--format=atom", "--quiet").out();
        assertThat(run("recrawl", out(), "--all", "--quiet").code()).isZero();
        assertThat(run("changes", out(), "--since", since, "--format=jsonl", "--quiet").out())
                .isEqualTo(once);
        assertThat(ids(run("changes", out(), "--since", since, "--format=atom", "--quiet").out()))
                .hasSize(2)
                .isEqualTo(ids(feed));
        var found =
                log().stream()
                        .filter(
                                entry ->
                                        entry.url().endsWith("/page3")
                                                && entry.visit().number() == 2)
                        .toList();
        assertThat(once.lines())
                .singleElement()
                .asString()
                .contains(
                        "\"kind\":\"changed\"",
                        "\"added\":[\"This is the new text of part three.\"]")
                .contains("\"after\":{\"seq\":%d,".formatted(found.getFirst().seq()));
        assertThat(run("changes", out(), "--format=jsonl", "--all-kinds", "--quiet").out().lines())
                .hasSize(2)
                .allMatch(line -> line.contains("\"kind\":\"markup\"") && line.contains("/plain/"));
        assertThat(run("changes", out(), "--format=xml").err())
                .contains("--format: unknown format 'xml'; expected one of text, jsonl, atom");
    }

    private static List<String> ids(String feed) {
        return feed.lines().filter(line -> line.contains("<id>")).toList();
    }

    @Test
    void everyVisitIsALineAndThePagesAreCountedOnce() throws Exception {
        var before = StoredCrawl.open(out(), Settings.CORE).stats().ledger();
        assertThat(run("recrawl", out(), "--all", "--quiet").code()).isZero();
        assertThat(run("recrawl", out(), "--all", "--quiet").code()).isZero();
        var after = StoredCrawl.open(out(), Settings.CORE).stats().ledger();
        assertThat(after.accepted()).isEqualTo(before.accepted());
        assertThat(after.done()).isEqualTo(before.done());
        assertThat(after.pages()).isEqualTo(before.pages());
        assertThat(log())
                .filteredOn(entry -> entry.url().endsWith("/page1"))
                .extracting(entry -> entry.visit().number(), PageLogEntry::status)
                .containsExactly(tuple(1, 200), tuple(2, 304), tuple(3, 304));
        assertThat(run("pages", out()).out().lines()).hasSizeGreaterThanOrEqualTo(3 * 14);
        var exported = run("export", out(), "--format=jsonl", "--to=-", "--quiet");
        assertThat(exported.out().lines().filter(line -> line.contains("/page1\""))).hasSize(1);
    }

    @Test
    void anUnchangedPageIsARevisitRecordThatNamesTheStoredOne() throws Exception {
        assertThat(run("recrawl", out(), "--all", "--quiet").code()).isZero();
        var revisits = new ArrayList<WarcRevisit>();
        try (var files = Files.list(out().resolve(DirectoryLayout.WARC))) {
            for (var file : files.toList()) {
                try (var reader = new WarcReader(file)) {
                    for (var record : reader) {
                        if (record instanceof WarcRevisit revisit) {
                            revisits.add(revisit);
                        }
                    }
                }
            }
        }
        assertThat(revisits)
                .filteredOn(it -> it.profile().equals(WarcRevisit.SERVER_NOT_MODIFIED_1_1))
                .hasSize(13)
                .allSatisfy(
                        revisit -> {
                            assertThat(revisit.refersToTargetURI()).contains(revisit.targetURI());
                            assertThat(revisit.refersTo()).isPresent();
                            assertThat(revisit.refersToDate()).isPresent();
                        });
        var text = run("export", out(), "--format=markdown", "--to", directory.resolve("md"));
        assertThat(text.code()).as(text.err()).isZero();
        try (var files = Files.walk(directory.resolve("md"))) {
            assertThat(files.filter(file -> file.toString().endsWith("page1.md")).toList())
                    .singleElement()
                    .satisfies(file -> assertThat(Files.readString(file)).contains("part 1"));
        }
    }

    @Test
    void aMissingPageIsGoneOnlyAfterItsConfirmation() throws Exception {
        site.page("/page5", "");
        assertThat(run("recrawl", out(), "--all", "--quiet").code()).isZero();
        assertThat(run("changes", out()).err()).contains("0 new, 0 gone, 0 changed");
    }

    @Test
    void aPageWithoutResponseKeepsItsStoredOneAndIsVisitedByTheNextRecrawl() throws Exception {
        var before = StoredCrawl.open(out(), Settings.CORE).stats().ledger();
        site.breakPage("/page5");
        var failing = run("recrawl", out(), "--all", "--set=max-retries=0", "--quiet");
        assertThat(failing.code()).as(failing.err()).isZero();
        var ledger = StoredCrawl.open(out(), Settings.CORE).stats().ledger();
        assertThat(ledger.dead()).isZero();
        assertThat(ledger.done()).isEqualTo(before.done());
        assertThat(ledger.pages()).isEqualTo(before.pages());
        site.breakPage("");
        var _ = site.takeRequests();
        assertThat(run("recrawl", out(), "--all", "--quiet").code()).isZero();
        assertThat(site.takeRequests()).contains("/page5 304 0");
    }

    @Test
    void pagesThatAreNewerInSitemapsAreVisited() throws Exception {
        site.file("/sitemap.xml", sitemap(Instant.now(), "/page2", "/page4", "/late"));
        site.page("/page2", TEXT + "This is the new text of part two.");
        site.page("/late", TEXT + "This page is new.");
        site.page("/page7", TEXT + "The sitemap does not name this change.");
        var recrawl = run("recrawl", out(), "--newer-in-sitemaps", "--quiet");
        assertThat(recrawl.code()).as(recrawl.err()).isZero();
        assertThat(site.takeRequests())
                .extracting(request -> request.substring(0, request.lastIndexOf(' ')))
                .filteredOn(request -> !request.startsWith("/robots.txt"))
                .containsExactlyInAnyOrder(
                        "/sitemap.xml 200", "/late 200", "/page2 200", "/page4 304");
        assertThat(run("changes", out()).err()).contains("1 new, 0 gone, 1 changed, 14 unchanged");
        assertThat(run("recrawl", out(), "--newer-in-sitemaps", "--quiet").code()).isZero();
        assertThat(site.takeRequests())
                .filteredOn(request -> !request.startsWith("/robots.txt"))
                .hasSize(1);
    }

    @Test
    void onlyOldOrListedPagesAreVisited() throws Exception {
        var none = run("recrawl", out());
        assertThat(none.code()).isZero();
        assertThat(none.err()).isEqualTo("nothing to visit again\n");
        assertThat(site.takeRequests()).isEmpty();
        var list = Files.writeString(directory.resolve("urls"), "# two\n" + site.url() + "page1\n");
        assertThat(run("recrawl", out(), "--urls", list, "--quiet").code()).isZero();
        assertThat(site.takeRequests()).contains("/page1 304 0").hasSizeLessThanOrEqualTo(2);
        var unknown = site.url() + "unknown";
        var partly =
                Files.writeString(
                        directory.resolve("partly"),
                        unknown + "\n" + Files.readString(list) + unknown);
        assertThat(run("recrawl", out(), "--urls", partly).err())
                .contains(
                        "the crawl has no response of 1 URL of %s and does not visit them: %s;"
                                .formatted(partly, unknown))
                .contains("visiting 1 URL again");
        var latin =
                Files.write(directory.resolve("latin"), new byte[] {'#', '\n', 'h', (byte) 0xfc});
        assertThat(run("recrawl", out(), "--urls", latin).err())
                .contains("line 2 of %s is not UTF-8 text".formatted(latin));
        assertThat(run("recrawl", out(), "--all", "--older-than=1d").err())
                .contains("--all and --older-than exclude each other");
        assertThat(run("recrawl", out(), "--older-than=soon").err())
                .contains("--older-than 'soon' is not a time; expected such as 12h or 7d");
    }
}
