package dev.orbweaver.imports.crawls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.imports.SourceException;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.crawl.RobotsLog;
import dev.orbweaver.internal.directory.DirectoryFrontier;
import dev.orbweaver.internal.directory.FrontierLocation;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.engine.CrawlOpener;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;

/** Imports from a real PostgreSQL, and crawls of what was imported. */
@Slow
class PostgresImportTest {

    /** For a machine that cannot run the server's binary. */
    private static final String MAY_BE_MISSING = "orbweaver.without-postgres";

    private static PostgresServer postgres;

    private final Set<String> requests = ConcurrentHashMap.newKeySet();
    private HttpServer web;
    private String site;

    @TempDir Path directory;

    @BeforeAll
    static void startPostgres() {
        try {
            postgres = PostgresServer.start();
        } catch (IOException | IllegalStateException e) {
            Assumptions.assumeFalse(
                    Boolean.getBoolean(MAY_BE_MISSING), "PostgreSQL did not start: " + e);
            throw new IllegalStateException(
                    "PostgreSQL did not start; -D%s=true skips this test".formatted(MAY_BE_MISSING),
                    e);
        }
    }

    @AfterAll
    static void stopPostgres() throws Exception {
        if (postgres != null) {
            postgres.close();
        }
    }

    @BeforeEach
    void serve() throws Exception {
        web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        web.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        web.createContext(
                "/",
                exchange -> {
                    try (exchange) {
                        requests.add(exchange.getRequestURI().getPath());
                        // Every page links to a page that was visited.
                        var body = "<a href=/visited/1>page</a>".getBytes(UTF_8);
                        exchange.getResponseHeaders().add("Content-Type", "text/html");
                        exchange.sendResponseHeaders(200, body.length);
                        exchange.getResponseBody().write(body);
                    }
                });
        web.createContext(
                "/robots.txt",
                exchange -> {
                    try (exchange) {
                        exchange.sendResponseHeaders(404, -1);
                    }
                });
        web.start();
        site = "http://127.0.0.1:" + web.getAddress().getPort() + "/";
        postgres.execute("DROP SCHEMA public CASCADE", "CREATE SCHEMA public");
    }

    @AfterEach
    void stop() {
        web.stop(0);
    }

    private void createTables() throws Exception {
        postgres.execute(
                "CREATE TABLE visited_urls (url text, url_sha256 text PRIMARY KEY,"
                        + " crawled_timestamp timestamptz, http_status_code int)",
                "CREATE TABLE frontier (id bigserial PRIMARY KEY, url text, domain text, depth"
                        + " int, priority_score double precision)");
    }

    /** Rows 1 to {@code visited} are visited; rows up to {@code queued} are queued. */
    private void fill(int visited, int queued) throws Exception {
        postgres.execute(
                ("INSERT INTO visited_urls SELECT '%svisited/' || i, encode(sha256(('%svisited/' ||"
                                + " i)::bytea), 'hex'), now(), 200 FROM generate_series(1, %d) i")
                        .formatted(site, site, visited),
                "INSERT INTO frontier (url, domain, depth, priority_score) SELECT '%squeued/' || i, '127.0.0.1', i %% 3, i %% 7 FROM generate_series(1, %d) i"
                        .formatted(site, queued));
    }

    private ImportReport run(Path out) throws Exception {
        return ImportProcess.run(postgres.jdbc(), out, _ -> {});
    }

    private Ledger crawl(Path out) throws Exception {
        var config = StoredCrawl.open(out, Settings.CORE).config();
        try (var crawl = CrawlOpener.open(config, out)) {
            assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
            return crawl.status().frontier().ledger();
        }
    }

    @Test
    void theCrawlFetchesWhatWasQueuedAndNothingThatWasVisited() throws Exception {
        createTables();
        fill(50, 30);
        postgres.execute(
                "INSERT INTO visited_urls VALUES (NULL, 'a'), ('#fragment', 'b'), ('', 'c')",
                "INSERT INTO frontier (url) SELECT url FROM visited_urls WHERE url LIKE '%/7'",
                "INSERT INTO frontier (url, depth) VALUES ('not a URL', 1), ('%squeued/1', -4)"
                        .formatted(site));
        var out = directory.resolve("out");
        var report = run(out);
        assertThat(report.parts())
                .containsExactly(
                        new ImportReport.Part("visited", 53, 50, 0, 3),
                        new ImportReport.Part("frontier", 33, 30, 2, 1));
        assertThat(report.balances()).isTrue();

        var ledger = crawl(out);
        assertThat(ledger.pages()).isEqualTo(30);
        assertThat(ledger.accepted()).isEqualTo(80);
        assertThat(requests)
                .hasSize(30)
                .allSatisfy(path -> assertThat(path).startsWith("/queued/"));
    }

    @Test
    void exclusionsAndRobotsFilesBecomeThoseOfTheCrawl() throws Exception {
        createTables();
        fill(1, 1);
        postgres.execute(
                "CREATE TABLE domain_metadata (domain text, robots_txt_content text,"
                    + " robots_txt_expires_timestamp timestamptz, is_manually_excluded boolean)",
                "INSERT INTO domain_metadata VALUES ('example.org', E'User-agent: *\\n"
                        + "Crawl-delay: 7\\n"
                        + "Disallow: /private', now() + interval '5 hours', false), ('example.com',"
                        + " 'User-agent: *', now() - interval '1 hour', NULL), ('localhost', NULL,"
                        + " NULL, true), ('not a host', NULL, NULL, true)",
                "INSERT INTO frontier (url) VALUES ('%s')"
                        .formatted(site.replace("127.0.0.1", "localhost") + "excluded"));
        var out = directory.resolve("out");
        var report = run(out);
        assertThat(report.hosts()).isEqualTo(new ImportReport.Hosts(4, 4, 1, 1, 1, 0, 1));
        var ledger = crawl(out);
        assertThat(ledger.pages()).isEqualTo(1);
        assertThat(ledger.withdrawn()).isEqualTo(1);
        assertThat(requests).containsExactly("/queued/1");
        // The crawl discards entries that it does not trust, so this is read after it ran.
        for (var scheme : List.of("http", "https")) {
            var entry = RobotsLog.lookUp(new RealDisk(), out, scheme + "://example.org");
            assertThat(entry).isPresent();
            assertThat(new String(entry.orElseThrow().text(), UTF_8)).contains("/private");
            assertThat(entry.orElseThrow().delay()).hasSeconds(7);
        }
        assertThat(RobotsLog.lookUp(new RealDisk(), out, "https://example.com")).isEmpty();
    }

    @Test
    void theFirstRequestKeepsTheDelayAfterTheLastFetchOfTheOtherProgram() throws Exception {
        postgres.execute(
                "CREATE TABLE frontier (url text)",
                "INSERT INTO frontier VALUES ('http://recent.example/'), ('http://old.example/'),"
                        + " ('http://planned.example/'), ('http://unknown.example/')",
                "CREATE TABLE domain_metadata (domain text, last_scheduled_fetch_timestamp"
                        + " timestamptz)",
                "INSERT INTO domain_metadata VALUES ('recent.example', now() - interval '10"
                        + " minutes'), ('old.example', now() - interval '70 minutes'),"
                        + " ('planned.example', now() + interval '9 years'), ('unknown.example',"
                        + " NULL), ('no-urls.example', now())");
        var out = directory.resolve("out");
        var before = Instant.now();
        try (var importer =
                PostgresImporter.open(
                        postgres.jdbc(),
                        new PostgresNames(Map.of(), Map.of()),
                        1,
                        _ -> Optional.empty())) {
            var _ =
                    new CrawlImport(
                                    importer,
                                    ImportProcess.config("1h"),
                                    ImportDestination.directory(ImportProcess.config("1h"), out),
                                    out,
                                    InstantSource.system(),
                                    _ -> {})
                            .run();
        }
        assertThat(hostsDueAt(out, before.plus(Duration.ofMinutes(1))))
                .containsExactlyInAnyOrder("old.example", "unknown.example");
        assertThat(hostsDueAt(out, before.plus(Duration.ofMinutes(55))))
                .containsExactlyInAnyOrder("old.example", "unknown.example", "recent.example");
        assertThat(hostsDueAt(out, before.plus(Duration.ofMinutes(65)))).hasSize(4);
    }

    private static List<String> hostsDueAt(Path out, Instant time) throws Exception {
        var config = StoredCrawl.open(out, Settings.CORE).config();
        var copy = Files.createTempDirectory(out.getParent(), "copy");
        copy(out, copy);
        try (var frontier =
                new DirectoryFrontier(copy, config).open(new RealDisk(), Instant.now())) {
            var job = frontier.job(FrontierLocation.OWN_JOB);
            job.setActive(true);
            return job.lease(10, time).stream().map(lease -> lease.url().host()).toList();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (var files = Files.walk(from)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                var target = to.resolve(from.relativize(file).toString());
                Files.createDirectories(target.getParent());
                Files.copy(file, target);
            }
        }
    }

    @Test
    void anImportThatIsKilledTwiceLosesAndRepeatsNothing() throws Exception {
        createTables();
        fill(25_000, 300);
        postgres.execute(
                "INSERT INTO frontier (url, depth) SELECT url, 2 FROM visited_urls"
                        + " ORDER BY url LIMIT 12000");
        var out = directory.resolve("out");
        ImportProcess.killAt("visited: 10,000 rows read", postgres.jdbc(), out);
        assertThat(Files.exists(out.resolve("crawl.yaml"))).isFalse();
        assertThat(ImportState.read(out).orElseThrow().part("visited").rows())
                .isBetween(10_000L, 20_000L);
        ImportProcess.killAt("frontier: ", postgres.jdbc(), out);
        var report = run(out);
        assertThat(report.parts())
                .containsExactly(
                        new ImportReport.Part("visited", 25_000, 25_000, 0, 0),
                        new ImportReport.Part("frontier", 12_300, 300, 12_000, 0));
        assertThat(run(out)).isEqualTo(report);

        var ledger = crawl(out);
        assertThat(ledger.pages()).isEqualTo(300);
        assertThat(ledger.accepted()).isEqualTo(25_300);
        assertThat(requests)
                .hasSize(300)
                .allSatisfy(path -> assertThat(path).startsWith("/queued/"));
    }

    @Test
    void theCountsDifferIfTheDatabaseIsChangedBetweenTwoRuns() throws Exception {
        createTables();
        fill(25_000, 300);
        var out = directory.resolve("out");
        ImportProcess.killAt("visited: 10,000 rows read", postgres.jdbc(), out);
        postgres.execute(
                "DELETE FROM visited_urls WHERE url_sha256 IN"
                        + " (SELECT url_sha256 FROM visited_urls ORDER BY url_sha256 LIMIT 100)");
        var report = run(out);
        assertThat(report.parts()).contains(new ImportReport.Part("visited", 24_900, 25_000, 0, 0));
        assertThat(report.balances()).isFalse();
    }

    @Test
    void tablesAndColumnsMayHaveOtherNamesAndOptionalColumnsMayBeMissing() throws Exception {
        postgres.execute(
                "CREATE SCHEMA old",
                "CREATE TABLE old.\"Pages\" (address text)",
                "INSERT INTO old.\"Pages\" VALUES ('%sa')".formatted(site),
                "CREATE TABLE frontier (url text)",
                "INSERT INTO frontier VALUES ('%sb')".formatted(site));
        var names =
                PostgresNames.parse(List.of("visited=old.Pages"), List.of("visited.url=address"));
        var out = directory.resolve("out");
        try (var importer =
                PostgresImporter.open(postgres.jdbc(), names, 1, _ -> Optional.empty())) {
            var report =
                    new CrawlImport(
                                    importer,
                                    ImportProcess.config(),
                                    ImportDestination.directory(ImportProcess.config(), out),
                                    out,
                                    InstantSource.system(),
                                    _ -> {})
                            .run();
            assertThat(report.parts())
                    .containsExactly(
                            new ImportReport.Part("visited", 1, 1, 0, 0),
                            new ImportReport.Part("frontier", 1, 1, 0, 0));
        }
        assertThatThrownBy(() -> run(out))
                .hasMessageContaining("contains an import from jdbc:postgresql://")
                .hasMessageContaining("choose another directory with --out");
    }

    @Test
    void whatIsMissingIsOneSentenceThatListsWhatWasFound() throws Exception {
        var out = directory.resolve("out");
        postgres.execute("CREATE TABLE pages (id int)");
        assertThatThrownBy(() -> run(out))
                .isInstanceOf(SourceException.class)
                .hasMessageContaining("has neither a table visited_urls nor a table frontier")
                .hasMessageContaining("it has pages;");
        postgres.execute("CREATE TABLE frontier (address text, depth int)");
        assertThatThrownBy(() -> run(out))
                .hasMessage(
                        "the table frontier has no column url; it has address, depth; name it with"
                                + " --column frontier.url=NAME");
        postgres.execute(
                "ALTER TABLE frontier RENAME address TO url",
                "CREATE TABLE domain_metadata (host text)");
        assertThatThrownBy(() -> run(out))
                .hasMessage(
                        "the table domain_metadata has no column domain; it has host; name it with"
                                + " --column hosts.domain=NAME");
        assertThat(out).as("a directory, before all names were checked").doesNotExist();
        assertThatThrownBy(
                        () ->
                                PostgresImporter.open(
                                        "jdbc:postgresql://127.0.0.1:1/db?user=u&password=hidden",
                                        new PostgresNames(Map.of(), Map.of()),
                                        1,
                                        _ -> Optional.empty()))
                .hasMessageStartingWith("could not connect to jdbc:postgresql://127.0.0.1:1/db: ")
                .message()
                .doesNotContain("hidden");
    }

    @Test
    void aDryRunCountsAndWritesNothing() throws Exception {
        createTables();
        fill(2_000, 3_000);
        postgres.execute(
                "INSERT INTO frontier (url) VALUES ('mailto:someone@example.org')",
                "CREATE TABLE domain_metadata (domain text, is_manually_excluded boolean)",
                "INSERT INTO domain_metadata VALUES ('example.org', true), ('not a host', true),"
                        + " ('example.net', false)");
        var out = directory.resolve("out");
        List<DryRun.PartCounts> counts;
        try (var importer =
                PostgresImporter.open(
                        postgres.jdbc(),
                        new PostgresNames(Map.of(), Map.of()),
                        1,
                        _ -> Optional.empty())) {
            counts = DryRun.run(importer, ImportProcess.config().urls(), _ -> {});
        }
        assertThat(counts).extracting(DryRun.PartCounts::rows).containsExactly(2_000L, 3_001L, 3L);
        assertThat(counts).extracting(DryRun.PartCounts::rejected).containsExactly(0L, 1L, 1L);
        assertThat(counts)
                .flatExtracting(DryRun.PartCounts::sample)
                .containsExactly(
                        "row 3,001: 'mailto:someone@example.org' is not an http or https URL",
                        "'not a host' is not a host name");
        assertThat(out).doesNotExist();

        var _ = run(out);
        var estimated = counts.stream().mapToLong(DryRun.PartCounts::diskBytes).sum();
        assertThat(bytes(out)).isBetween(estimated / 8, estimated + (4 << 20));
    }

    private static long bytes(Path out) throws Exception {
        try (var files = Files.walk(out)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }
}
