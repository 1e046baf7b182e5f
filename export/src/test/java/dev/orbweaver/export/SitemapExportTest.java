package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.export.ExportSettings.LastModified;
import dev.orbweaver.export.ExportSettings.Sitemap;
import dev.orbweaver.testing.Golden;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.zip.GZIPInputStream;

import javax.xml.parsers.DocumentBuilderFactory;

class SitemapExportTest {

    private static final Sitemap THREE =
            new Sitemap(false, LastModified.FETCHED, false, "", 3, 52_428_800);

    @TempDir Path directory;

    @Test
    void aFewPagesAreOneFile() throws IOException {
        try (var crawlFixture = CrawlFixture.in(directory)) {
            crawlFixture
                    .page(
                            "http://a.test/?a=1&b='2'",
                            "x",
                            "Last-Modified: Tue, 01 Jan 2019 10:00:00 GMT")
                    .page("http://a.test/new", "x", "Last-Modified: Wed, 01 Jan 2031 10:00:00 GMT")
                    .page("http://a.test/odd", "x", "Last-Modified: yesterday")
                    .notFound("http://a.test/missing")
                    .page("http://a.test/" + "x".repeat(2100), "x");
            var report = export(crawlFixture, "map", Sitemap.DEFAULT);
            assertThat(report.count()).isEqualTo(3);
            assertThat(report.notes()).singleElement().asString().contains("longer than");
        }
        Golden.check("export/sitemap.xml", Files.readString(directory.resolve("map/sitemap.xml")));
        assertThat(files(directory.resolve("map"))).containsExactly("sitemap.xml");
    }

    @Test
    void imagesAndStyleSheetsAreNoPages() throws Exception {
        var bytes = "x".getBytes(StandardCharsets.UTF_8);
        try (var crawlFixture = CrawlFixture.in(directory)) {
            crawlFixture
                    .page("http://a.test/", "x")
                    .body("http://a.test/manual.pdf", "application/pdf", bytes, false)
                    .body("http://a.test/style.css", "text/css", bytes, false)
                    .body("http://a.test/app.js", "text/javascript", bytes, false)
                    .body("http://static.test/logo.png", "image/png", bytes, false);
            var report = export(crawlFixture, "map", Sitemap.DEFAULT);
            assertThat(report.count()).isEqualTo(2);
            assertThat(report.notes())
                    .singleElement()
                    .asString()
                    .startsWith("3 files were omitted: neither HTML, PDF nor plain text");
        }
        assertThat(files(directory.resolve("map")))
                .as("a host that serves images only is not a second host")
                .containsExactly("sitemap.xml");
        assertThat(locs(xml(Files.readAllBytes(directory.resolve("map/sitemap.xml")))))
                .containsExactly("http://a.test/", "http://a.test/manual.pdf");
    }

    @Test
    void manyPagesAreSplitUnderAnIndex() throws Exception {
        try (var crawlFixture = CrawlFixture.in(directory)) {
            for (var i = 0; i < 7; i++) {
                crawlFixture.article("http://a.test/" + i, "t", 3);
            }
            assertThat(export(crawlFixture, "map", THREE).count()).isEqualTo(7);
        }
        var map = directory.resolve("map");
        assertThat(files(map))
                .containsExactly("sitemap-1.xml", "sitemap-2.xml", "sitemap-3.xml", "sitemap.xml");
        Golden.check("export/sitemap-index.xml", Files.readString(map.resolve("sitemap.xml")));
        var urls = new HashSet<String>();
        for (var part = 1; part <= 3; part++) {
            urls.addAll(locs(xml(Files.readAllBytes(map.resolve("sitemap-" + part + ".xml")))));
        }
        assertThat(urls).hasSize(7);
    }

    @Test
    void aFileEndsBeforeItsBytesAreTooMany() throws Exception {
        var settings = new Sitemap(true, LastModified.NONE, false, "https://x.test/s", 50_000, 600);
        try (var crawlFixture = CrawlFixture.in(directory)) {
            for (var i = 0; i < 40; i++) {
                crawlFixture.article("http://a.test/" + i, "t", 3);
            }
            assertThat(export(crawlFixture, "map.xml", settings).count()).isEqualTo(40);
        }
        var index = locs(xml(gunzip(directory.resolve("map.xml.gz"))));
        assertThat(index)
                .hasSizeGreaterThan(3)
                .allMatch(it -> it.startsWith("https://x.test/s/map-"));
        var urls = 0;
        for (var part : index) {
            var text = gunzip(directory.resolve(part.substring("https://x.test/s/".length())));
            assertThat(text).hasSizeLessThanOrEqualTo(600);
            urls += locs(xml(text)).size();
        }
        assertThat(urls).isEqualTo(40);
    }

    @Test
    void everyHostOfManyHasASitemapOfItsOwn() throws Exception {
        try (var crawlFixture = CrawlFixture.in(directory)) {
            // More hosts than the limit of open files, in alternation.
            for (var i = 0; i < 400; i++) {
                crawlFixture.article("http://h" + i % 100 + ".test/" + i, "t", 3);
            }
            assertThat(export(crawlFixture, "map", THREE).count()).isEqualTo(400);
        }
        assertThat(files(directory.resolve("map"))).hasSize(100);
        for (var host = 0; host < 100; host++) {
            var own = "http://h" + host + ".test/";
            var dir = directory.resolve("map/h" + host + ".test");
            assertThat(locs(xml(Files.readAllBytes(dir.resolve("sitemap-1.xml")))))
                    .hasSize(3)
                    .allMatch(url -> url.startsWith(own));
            assertThat(locs(xml(Files.readAllBytes(dir.resolve("sitemap-2.xml"))))).hasSize(1);
        }
    }

    @Test
    void onRequestOnlyIndexablePagesAreListed() throws IOException {
        var settings = new Sitemap(false, LastModified.NONE, true, "", 50_000, 50_000_000);
        try (var crawlFixture = CrawlFixture.in(directory)) {
            crawlFixture
                    .page("http://a.test/1", "<link rel=canonical href=http://a.test/1>")
                    .page("http://a.test/2", "<link rel=canonical href=/1>")
                    .page("http://a.test/3", "<meta name=robots content=noindex>")
                    .page("http://a.test/4", "x", "X-Robots-Tag: noindex");
            var report = export(crawlFixture, "map", settings);
            assertThat(report.count()).isEqualTo(1);
            assertThat(report.notes()).singleElement().asString().startsWith("3 pages");
        }
    }

    private ExportReport export(CrawlFixture crawlFixture, String to, Sitemap settings)
            throws IOException {
        var target = new ExportTarget.PathTarget(directory.resolve(to));
        return ExportRunner.run(
                crawlFixture.pages(),
                ExportSettings.of(ExportFormat.SITEMAP, target).with(settings));
    }

    private static List<String> files(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static byte[] gunzip(Path file) throws IOException {
        try (var in = new GZIPInputStream(Files.newInputStream(file))) {
            return in.readAllBytes();
        }
    }

    private static Document xml(byte[] text) throws Exception {
        assertThat(new String(text, StandardCharsets.UTF_8)).startsWith("<?xml");
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(text));
    }

    private static List<String> locs(Document xml) {
        var nodes = xml.getElementsByTagName("loc");
        var texts = new ArrayList<String>();
        for (var i = 0; i < nodes.getLength(); i++) {
            texts.add(nodes.item(i).getTextContent());
        }
        return texts;
    }
}
