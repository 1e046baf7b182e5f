package dev.orbweaver.imports.crawls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.imports.SeedSources;
import dev.orbweaver.imports.SourceSpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Imports of crawls of Scrapy and Heritrix. */
class FileImportersTest {

    /** A request as Scrapy stores it: GET https://example.org/ä?p=4, depth 4, priority -3. */
    private static final String REQUEST =
            "80049522010000000000007d94288c0375726c948c1a68747470733a2f2f6578616d706c652e6f72672fc3"
                + "a43f703d34948c0863616c6c6261636b948c057061727365948c076572726261636b944e8c07686561"
                + "64657273947d94430752656665726572945d94431468747470733a2f2f6578616d706c652e6f72672f"
                + "9461738c066d6574686f64948c03474554948c04626f6479944300948c07636f6f6b696573947d948c"
                + "046d657461947d94288c056465707468944b048c017894284b014b024b034740120000000000007494"
                + "8c03626967948a09000000000000000040758c08656e636f64696e67948c057574662d38948c087072"
                + "696f72697479944afdffffff8c0b646f6e745f66696c74657294898c05666c616773945d948c096362"
                + "5f6b7761726773947d94752e";

    /** A request for ?p=2 of depth 2 in protocol 2, which has other opcodes. */
    private static final String REQUEST_2 =
            "80027d710028580300000075726c7101581a00000068747470733a2f2f6578616d706c652e6f72672fc3a4"
                + "3f703d327102580800000063616c6c6261636b71035805000000706172736571045807000000657272"
                + "6261636b71054e58070000006865616465727371067d7107635f636f646563730a656e636f64650a71"
                + "08580700000052656665726572710958060000006c6174696e31710a86710b52710c5d710d68085814"
                + "00000068747470733a2f2f6578616d706c652e6f72672f710e680a86710f527110617358060000006d"
                + "6574686f647111580300000047455471125804000000626f64797113635f5f6275696c74696e5f5f0a"
                + "62797465730a7114295271155807000000636f6f6b69657371167d711758040000006d65746171187d"
                + "71192858050000006465707468711a4b02580100000078711b284b014b024b03474012000000000000"
                + "74711c5803000000626967711d8a09000000000000000040755808000000656e636f64696e67711e58"
                + "050000007574662d38711f58080000007072696f7269747971204afdffffff580b000000646f6e745f"
                + "66696c7465727121895805000000666c61677371225d7123580900000063625f6b776172677371247d"
                + "7125752e";

    /** POST https://example.org/form, depth 1. */
    private static final String POST =
            "80049521010000000000007d94288c0375726c948c1868747470733a2f2f6578616d706c652e6f72672f66"
                + "6f726d948c0863616c6c6261636b948c057061727365948c076572726261636b944e8c076865616465"
                + "7273947d94430752656665726572945d94431468747470733a2f2f6578616d706c652e6f72672f9461"
                + "738c066d6574686f64948c04504f5354948c04626f6479944303613d62948c07636f6f6b696573947d"
                + "948c046d657461947d94288c056465707468944b018c017894284b014b024b03474012000000000000"
                + "74948c03626967948a09000000000000000040758c08656e636f64696e67948c057574662d38948c08"
                + "7072696f72697479944b008c0b646f6e745f66696c74657294898c05666c616773945d948c0963625f"
                + "6b7761726773947d94752e";

    @TempDir Path directory;

    private static SourceOpener sources() {
        return (type, file) -> {
            try {
                return new SeedSources(
                                ImportProcess.config(), Path.of(""), InputStream.nullInputStream())
                        .open(new SourceSpec(type, file.toString(), ""));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        };
    }

    /** Returns all rows; also checks that a part continues after each key that it stores. */
    private static List<String> rows(CrawlImporter importer) throws Exception {
        var rows = new ArrayList<String>();
        for (var part : importer.parts()) {
            var all = new Rows();
            part.read("", all);
            assertThat(part.countRows()).isEqualTo(all.rows.size());
            for (var key : all.keys.entrySet()) {
                var rest = new Rows();
                part.read(key.getKey(), rest);
                assertThat(rest.rows).isEqualTo(all.rows.subList(key.getValue(), all.rows.size()));
            }
            rows.addAll(all.rows);
        }
        return rows;
    }

    private static final class Rows implements CrawlImporter.RowOutput {

        private final List<String> rows = new ArrayList<>();

        /** How many rows were passed before each key. */
        private final Map<String, Integer> keys = new LinkedHashMap<>();

        @Override
        public void visited(String url) {
            rows.add("visited " + url);
        }

        @Override
        public void queued(String url, int depth, int points) {
            rows.add("queued %s %d %d".formatted(url, depth, points));
        }

        @Override
        public boolean isCheckpointDue() {
            return true;
        }

        @Override
        public void checkpoint(String key) {
            keys.put(key, rows.size());
        }
    }

    private ScrapyImporter scrapy(Path input) {
        return new ScrapyImporter(input, Optional.empty(), sources());
    }

    @Test
    void requestsOfAScrapyJobDirectoryAreQueuedWithDepthAndPriority() throws Exception {
        var queue = Files.createDirectories(directory.resolve("requests.queue"));
        Files.writeString(queue.resolve("active.json"), "[0, 1]");
        var lifo = new ByteArrayOutputStream();
        var out = new DataOutputStream(lifo);
        out.writeInt(2);
        for (var hex : List.of(REQUEST, POST)) {
            var record = HexFormat.of().parseHex(hex);
            out.write(record);
            out.writeInt(record.length);
        }
        Files.write(queue.resolve("0"), lifo.toByteArray());
        // A first-in-first-out queue whose first request was taken already.
        var fifo = Files.createDirectories(queue.resolve("1"));
        var records = new ByteArrayOutputStream();
        var to = new DataOutputStream(records);
        for (var hex : List.of(POST, REQUEST_2)) {
            to.writeInt(hex.length() / 2);
            to.write(HexFormat.of().parseHex(hex));
        }
        Files.write(fifo.resolve("q00000"), records.toByteArray());
        Files.writeString(
                fifo.resolve("info.json"),
                "{\"chunksize\": 100000, \"size\": 1, \"tail\": [0, 1, %d], \"head\": [0, 2]}"
                        .formatted(POST.length() / 2 + 4));
        var part = scrapy(directory).parts().getFirst();
        var stored = new Rows();
        part.read("", stored);
        assertThat(stored.keys).as("keys of an interrupted import").hasSize(3);
        assertThat(rows(scrapy(directory)))
                .containsExactly(
                        "queued (POST) https://example.org/form 1 0",
                        "queued https://example.org/ä?p=4 4 -3",
                        "queued https://example.org/ä?p=2 2 -3");
    }

    @Test
    void aDamagedScrapyQueueIsOneClearSentence() throws Exception {
        var queue = Files.createDirectories(directory.resolve("requests.queue"));
        Files.write(queue.resolve("0"), new byte[] {0, 0, 0, 1, 5, 5, 5, 5, 0, 0, 0, 4});
        assertThatThrownBy(() -> rows(scrapy(directory)))
                .hasMessageContaining("0 is not a complete queue of pickled requests");
        Files.delete(queue.resolve("0"));
        Files.delete(queue);
        assertThatThrownBy(() -> rows(scrapy(directory)))
                .hasMessageContaining("has no requests.queue");
    }

    @Test
    void anyPrefixOfAPickleEndsWithoutAnException() {
        for (var hex : List.of(REQUEST, REQUEST_2)) {
            var bytes = HexFormat.of().parseHex(hex);
            for (var length = 0; length < bytes.length; length++) {
                assertThat(new Pickle(java.util.Arrays.copyOf(bytes, length)).read()).isEmpty();
            }
            for (var i = 0; i < bytes.length; i++) {
                var changed = bytes.clone();
                changed[i] ^= (byte) 0xFF;
                var _ = new Pickle(changed).read();
            }
        }
    }

    @Test
    void scrapyFeedsAndListsBecomeVisitedAndQueued() throws Exception {
        var feed = directory.resolve("items.jl");
        Files.writeString(feed, "{\"url\": \"https://example.org/a\", \"n\": 1}\n{\"n\": 2}\n");
        var list = Files.writeString(directory.resolve("urls.txt"), "https://example.org/b\n");
        assertThat(rows(new ScrapyImporter(list, Optional.of(feed), sources())))
                .containsExactly(
                        "visited https://example.org/a",
                        "visited (no field 'url' with a text) {\"n\": 2}",
                        "queued https://example.org/b 0 0");
    }

    private Path heritrix() throws Exception {
        var logs = Files.createDirectories(directory.resolve("job/latest/logs"));
        Files.writeString(
                logs.resolve("crawl.log"),
                """
                2026-11-01T10:00:00.000Z     1         50 dns:example.org P http://example.org/ text/dns #1 - - - -
                2026-11-01T10:00:01.000Z   200       1234 https://example.org/ - - text/html #2 20261101100001+5 sha1:A - -
                2026-11-01T10:00:02.000Z   404        100 https://example.org/x LLE https://example.org/ text/html #2 - sha1:B - -
                2026-11-01T10:00:03.000Z    -2          - https://down.example.org/ LRL https://example.org/ unknown #2 - - - -
                2026-11-01T10:00:04.000Z -9998          - https://example.org/private L https://example.org/ unknown #2 - - - -
                broken line
                """);
        Files.writeString(
                directory.resolve("job/latest/index.cdx"),
                """
                 CDX N b a m s k r M S V g
                org,example)/c 20261101100001 https://example.org/c text/html 200 AAAA - - 1 1 f.warc.gz
                """);
        Files.writeString(
                directory.resolve("job/seeds.txt"), "# seeds\nhttps://example.org/\nexample.net\n");
        return directory.resolve("job");
    }

    @Test
    void aHeritrixJobIsReadFromItsLogIndexAndSeeds() throws Exception {
        assertThat(rows(new HeritrixImporter(heritrix(), sources())))
                .containsExactly(
                        "visited https://example.org/",
                        "visited https://example.org/x",
                        "visited (not a line of crawl.log) broken line",
                        "visited https://example.org/c",
                        "queued https://down.example.org/ 2 0",
                        "queued https://example.org/ 0 0",
                        "queued example.net 0 0");
    }

    @Test
    void aFileImportIsCountedOnBothSides() throws Exception {
        var report =
                new CrawlImport(
                                new HeritrixImporter(heritrix(), sources()),
                                ImportProcess.config(),
                                ImportDestination.directory(
                                        ImportProcess.config(), directory.resolve("out")),
                                directory.resolve("out"),
                                InstantSource.system(),
                                _ -> {})
                        .run();
        assertThat(report.balances()).isTrue();
        assertThat(report.parts())
                .containsExactly(
                        new ImportReport.Part("visited-log-1", 3, 2, 0, 1),
                        new ImportReport.Part("visited-cdx-1", 1, 1, 0, 0),
                        new ImportReport.Part("queued-log-1", 1, 1, 0, 0),
                        new ImportReport.Part("seeds-1", 2, 1, 1, 0));
    }

    @Test
    void aDirectoryWithOtherFilesIsRefused() throws Exception {
        var out = Files.createDirectories(directory.resolve("out"));
        Files.writeString(out.resolve("notes.txt"), "mine");
        assertThatThrownBy(
                        () ->
                                new CrawlImport(
                                                new HeritrixImporter(heritrix(), sources()),
                                                ImportProcess.config(),
                                                ImportDestination.directory(
                                                        ImportProcess.config(), out),
                                                out,
                                                InstantSource.system(),
                                                _ -> {})
                                        .run())
                .hasMessage(out + " is not empty; choose another directory with --out");
        assertThat(out).isDirectoryContaining(file -> file.endsWith("notes.txt"));
    }

    @Test
    void thePasswordOfADatabaseIsNeverShown() throws Exception {
        var url =
                JdbcUrl.parse(
                        "jdbc:postgresql://db.example.org/crawl?user=me&password=env:SECRET&ssl=true",
                        name -> name.equals("SECRET") ? Optional.of("hidden") : Optional.empty());
        assertThat(url.secrets().getProperty("password")).isEqualTo("hidden");
        assertThat(url.secrets().getProperty("user")).isEqualTo("me");
        assertThat(url).hasToString("jdbc:postgresql://db.example.org/crawl?ssl=true");
        var fromVariable =
                JdbcUrl.parse(
                        "jdbc:postgresql:crawl",
                        name -> name.equals("PGPASSWORD") ? Optional.of("h") : Optional.empty());
        assertThat(fromVariable.secrets().getProperty("password")).isEqualTo("h");
        assertThatThrownBy(
                        () ->
                                JdbcUrl.parse(
                                        "jdbc:postgresql:crawl?password=env:NO",
                                        _ -> Optional.empty()))
                .hasMessage(
                        "the environment variable NO, which the password of --jdbc refers to, is"
                                + " not set");
    }
}
