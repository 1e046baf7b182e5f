package dev.orbweaver.examples;

import dev.orbweaver.Crawler;
import dev.orbweaver.spi.CrawledPage;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Stores the pages of a site in a database table, each page exactly once.
 *
 * <p>Each transaction inserts one page and updates the position, the number of the last stored
 * page. After a crash the program reads the position from the database and continues after it. Kill
 * the program at any time and start it again: no page is missing, and none is there twice.
 *
 * <pre>{@code
 * mvn -q -f examples compile exec:java -Dexec.mainClass=dev.orbweaver.examples.PagesToTable \
 *     -Dexec.args="https://example.com/ out"
 * }</pre>
 *
 * <p>The crawl is in {@code out/crawl}, the database in {@code out/pages.mv.db}.
 */
public final class PagesToTable {

    public static void main(String[] args) throws Exception {
        var directory = Path.of(args[1]).toAbsolutePath();
        try (var database = DriverManager.getConnection("jdbc:h2:" + directory.resolve("pages"))) {
            createTables(database);
            try (var crawl =
                    Crawler.builder(args[0])
                            // Leave this out on sites that are not your own.
                            .delay(Duration.ofMillis(50))
                            .extractor(
                                    page -> {
                                        var html = page.document();
                                        page.put("name", html.select("h1").text());
                                        page.put("price", html.select(".price").text());
                                    })
                            .onPage(page -> store(database, page))
                            .startAfter(position(database))
                            .open(directory.resolve("crawl"))) {
                IO.println(crawl.run().pages() + " pages");
            }
        }
    }

    private static void createTables(Connection database) throws SQLException {
        database.setAutoCommit(false);
        try (var statement = database.createStatement()) {
            statement.execute(
                    "create table if not exists page (url varchar, name varchar, price varchar)");
            statement.execute("create table if not exists position (sequence bigint)");
            statement.execute(
                    "insert into position select 0 where not exists (select * from position)");
        }
        database.commit();
    }

    /** Stores a page and its position in one transaction: both are in the database, or neither. */
    private static void store(Connection database, CrawledPage page) throws SQLException {
        try (var insert = database.prepareStatement("insert into page values (?, ?, ?)");
                var update = database.prepareStatement("update position set sequence = ?")) {
            insert.setString(1, page.url());
            insert.setString(2, (String) page.fields().get("name"));
            insert.setString(3, (String) page.fields().get("price"));
            insert.executeUpdate();
            update.setLong(1, page.sequence());
            update.executeUpdate();
        }
        database.commit();
    }

    private static long position(Connection database) throws SQLException {
        try (var statement = database.createStatement();
                var rows = statement.executeQuery("select sequence from position")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private PagesToTable() {}
}
