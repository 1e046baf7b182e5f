package dev.orbweaver.internal.robots;

import static org.assertj.core.api.Assertions.assertThat;

import crawlercommons.sitemaps.SiteMap;
import crawlercommons.sitemaps.SiteMapParser;
import crawlercommons.sitemaps.UnknownFormatException;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.zip.GZIPOutputStream;

class SitemapParserTest {

    private static final String AT = "https://shop.example/deep/sitemap.xml";

    @Test
    void anEntryKeepsItsDateAndPriority() {
        var sitemap =
                parse(
                        "<urlset><url><loc> https://a.example/x?a=1&amp;b=2 </loc>"
                                + "<lastmod>2024-02-29T10:00:00+02:00</lastmod>"
                                + "<priority>0.7</priority></url></urlset>");

        assertThat(sitemap.malformed()).isFalse();
        assertThat(sitemap.entries())
                .containsExactly(
                        new Sitemap.Entry(
                                "https://a.example/x?a=1&b=2",
                                Optional.of(Instant.parse("2024-02-29T08:00:00Z")),
                                OptionalDouble.of(0.7)));
    }

    @Test
    void theImagesOfAnExtensionAreNoPages() {
        assertThat(
                        urls(
                                parse(
                                        "<urlset><url><loc>http://a.example/1</loc><image:image>"
                                                + "<image:loc>http://a.example/i.png</image:loc>"
                                                + "</image:image></url></urlset>")))
                .containsExactly("http://a.example/1");
    }

    @Test
    void anEntryWithoutALocMayBeItsUrlButTheTextOfOtherElementsIsNone() {
        assertThat(
                        urls(
                                parse(
                                        "<urlset><url> http://a.example/1"
                                            + " </url><url><video:loc>http://a.example/v</video:loc>"
                                            + " <video:title>Silk</video:title></url></urlset>")))
                .containsExactly("http://a.example/1");
    }

    @Test
    void aTimeInRssMayHaveSingleDigits() {
        assertThat(SitemapDates.parse("Sat, 7 Sep 2002 9:5:1 GMT"))
                .contains(Instant.parse("2002-09-07T09:05:01Z"));
    }

    @Test
    void aBareAmpersandDoesNotEndTheFile() {
        assertThat(urls(parse("<urlset><url><loc>http://a.example/?a=1&b=2</loc></url></urlset>")))
                .containsExactly("http://a.example/?a=1&b=2");
    }

    @Test
    void commentsEndWhereTheyEnd() {
        assertThat(
                        urls(
                                parse(
                                        "<urlset><!-- <url><loc>http://a.example/no</loc></url>"
                                                + " ---><url><loc>http://a.example/yes</loc></url>"
                                                + "</urlset>")))
                .containsExactly("http://a.example/yes");
    }

    @Test
    void aFileThatBreaksOffGivesWhatCameBeforeAndSaysSo() {
        var sitemap =
                parse("<urlset><url><loc>http://a.example/1</loc></url><url><loc>http://a.exam");

        assertThat(sitemap.malformed()).isTrue();
        assertThat(urls(sitemap)).containsExactly("http://a.example/1");
    }

    @Test
    void anIndexNamesSitemapsAndNoPages() {
        var sitemap =
                parse(
                        "<?xml version='1.0'?><sitemapindex><sitemap><loc><![CDATA["
                                + "http://a.example/s1.xml]]></loc></sitemap></sitemapindex>");

        assertThat(sitemap.sitemaps()).containsExactly("http://a.example/s1.xml");
        assertThat(sitemap.entries()).isEmpty();
    }

    @Test
    void pathsAreCompletedFromTheFilesOriginAndOtherSchemesDropped() {
        assertThat(
                        urls(
                                parse(
                                        "<urlset><url><loc>/p</loc></url>"
                                                + "<url><loc>//b.example/q</loc></url>"
                                                + "<url><loc>file:///etc/hosts</loc></url>"
                                                + "<url><loc>data:,x</loc></url></urlset>")))
                .containsExactly("https://shop.example/p", "https://b.example/q");
    }

    @Test
    void atomEntriesGiveTheirAlternateLinkAndTheirUpdate() {
        var sitemap =
                parse(
                        "<feed><link href='http://a.example/'/><entry>"
                                + "<link rel='self' href='http://a.example/self'/>"
                                + "<link rel='alternate' href='http://a.example/e?x=1&amp;y=2'/>"
                                + "<updated>2020-01-02T00:00:00Z</updated>"
                                + "<published>2019-01-01T00:00:00Z</published></entry></feed>");

        assertThat(sitemap.entries())
                .containsExactly(
                        new Sitemap.Entry(
                                "http://a.example/e?x=1&y=2",
                                Optional.of(Instant.parse("2020-01-02T00:00:00Z")),
                                OptionalDouble.empty()));
    }

    @Test
    void rssItemsFallBackToAPermanentGuid() {
        var sitemap =
                parse(
                        "<rss><channel><link>http://a.example/</link>"
                                + "<item><guid>http://a.example/g</guid></item><item><guid"
                                + " isPermaLink='false'>http://a.example/no</guid></item>"
                                + "<item><link>http://a.example/l</link><pubDate>Sat, 07 Sep 2002"
                                + " 09:42:31 EST</pubDate></item></channel></rss>");

        assertThat(urls(sitemap)).containsExactly("http://a.example/g", "http://a.example/l");
        assertThat(sitemap.entries().getLast().lastModified())
                .contains(Instant.parse("2002-09-07T14:42:31Z"));
    }

    @Test
    void declaredAndMarkedEncodingsAreRead() {
        var xml = "<urlset><url><loc>http://a.example/caf\u00e9</loc></url></urlset>";
        var latin = "<?xml version='1.0' encoding='ISO-8859-1'?>" + xml;
        for (var bytes :
                List.of(
                        latin.getBytes(StandardCharsets.ISO_8859_1),
                        ("\uFEFF" + xml).getBytes(StandardCharsets.UTF_8),
                        ("\uFEFF" + xml).getBytes(StandardCharsets.UTF_16LE),
                        xml.getBytes(StandardCharsets.UTF_16BE))) {
            assertThat(urls(SitemapParser.parse(bytes, bytes.length, "text/xml", AT)))
                    .containsExactly("http://a.example/caf\u00e9");
        }
        var served = xml.getBytes(Charset.forName("windows-1252"));
        assertThat(urls(SitemapParser.parse(served, served.length, "text/xml; charset=cp1252", AT)))
                .containsExactly("http://a.example/caf\u00e9");
    }

    @Test
    void aWebPageIsNoSitemap() {
        var sitemap = parse("<!DOCTYPE html><html><body>http://a.example/</body></html>");

        assertThat(sitemap).isEqualTo(new Sitemap(List.of(), List.of(), true));
    }

    @Slow
    @Test
    void aBombIsReadUpToTheLimitOnly() throws IOException {
        var packed = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(packed)) {
            gzip.write(bytes("<urlset><url><loc>http://a.example/1</loc></url><!--"));
            var zeros = new byte[1 << 20];
            for (var i = 0; i < 300; i++) {
                gzip.write(zeros);
            }
        }
        var threads = ManagementFactory.getThreadMXBean();
        var started = threads.getCurrentThreadCpuTime();

        var sitemap =
                SitemapParser.parse(packed.toByteArray(), packed.size(), "application/gzip", AT);

        assertThat(urls(sitemap)).containsExactly("http://a.example/1");
        assertThat(sitemap.malformed()).isTrue();
        assertThat(Duration.ofNanos(threads.getCurrentThreadCpuTime() - started))
                .isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void moreEntriesThanTheLimitAreLeftAlone() {
        var text = "<urlset>" + "<url><loc>http://a.example/1</loc></url>".repeat(120_000);

        var sitemap = parse(text + "</urlset>");

        assertThat(sitemap.entries()).hasSize(SitemapParser.ENTRIES_MAX);
        assertThat(sitemap.malformed()).isTrue();
    }

    @Test
    void definedEntitiesStayUnexpandedAndDocumentTypesUnread() {
        var sitemap =
                parse(
                        "<!DOCTYPE urlset [<!ENTITY a \"]>http://a.example/evil\"> "
                                + "<!ENTITY % p SYSTEM 'file:///etc/hosts'> %p;]>"
                                + "<urlset><url><loc>&a;</loc></url>"
                                + "<url><loc>http://a.example/&a;</loc></url></urlset>");

        assertThat(urls(sitemap)).containsExactly("http://a.example/&a;");
    }

    @Test
    void deepNestingCostsNothing() {
        var sitemap =
                parse("<urlset>" + "<x>".repeat(1_000_000) + "<url><loc>http://a.example/1</loc>");

        assertThat(urls(sitemap)).containsExactly("http://a.example/1");
    }

    @Test
    void datesThatAreNoneAreNone() {
        for (var text :
                List.of("2023-02-30", "yesterday", "2023-13-01", "05 Foo 2017 1:00:00 GMT")) {
            assertThat(SitemapDates.parse(text)).as(text).isEmpty();
        }
    }

    @Test
    void crawlerCommonsReadsTheSameFromWellFormedFiles() throws Exception {
        var seed = 20_240_601L;
        var random = new Random(seed);
        for (var round = 0; round < 200; round++) {
            var xml = wellFormed(random);
            assertThat(urls(parse(xml)))
                    .as("seed %d round %d: %s", seed, round, xml)
                    .isEqualTo(oracle(xml));
        }
    }

    @Test
    void noBytesMakeItThrow() {
        var seed = 77L;
        var random = new Random(seed);
        for (var round = 0; round < 3_000; round++) {
            var bytes = bytes(wellFormed(random));
            for (var i = random.nextInt(12); i > 0; i--) {
                bytes[random.nextInt(bytes.length)] =
                        (byte) "<>/&;![]-?'\"=\0x".charAt(random.nextInt(15));
            }
            var length = random.nextInt(bytes.length + 1);
            assertThat(SitemapParser.parse(bytes, length, "", AT))
                    .as("seed %d round %d", seed, round)
                    .isNotNull();
        }
        var noise = new byte[4_096];
        for (var round = 0; round < 500; round++) {
            random.nextBytes(noise);
            if (round % 2 == 0) {
                noise[0] = 0x1F;
                noise[1] = (byte) 0x8B;
                noise[2] = 8;
            }
            assertThat(SitemapParser.parse(noise, noise.length, "x", ""))
                    .as("seed %d noise %d", seed, round)
                    .isNotNull();
        }
    }

    private static String wellFormed(Random random) {
        var xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"");
        xml.append("http://www.sitemaps.org/schemas/sitemap/0.9\">");
        for (var i = random.nextInt(8); i >= 0; i--) {
            var path = Integer.toString(random.nextInt(1_000_000), 36);
            var url = "https://shop.example/" + path + "?a=1&amp;n=" + random.nextInt(9);
            xml.append("<url>").append(random.nextBoolean() ? "\n  " : "");
            xml.append("<loc>")
                    .append(random.nextInt(4) == 0 ? "<![CDATA[https://shop.example/c]]>" : url)
                    .append("</loc>");
            xml.append(random.nextBoolean() ? "<lastmod>2020-01-01</lastmod>" : "<!-- - -->");
            xml.append("</url>");
        }
        return xml.append("</urlset>").toString();
    }

    private static List<String> oracle(String xml) throws IOException, UnknownFormatException {
        var parsed = new SiteMapParser(false).parseSiteMap(bytes(xml), URI.create(AT).toURL());
        return ((SiteMap) parsed)
                .getSiteMapUrls().stream().map(entry -> entry.getUrl().toString()).toList();
    }

    private static Sitemap parse(String text) {
        var bytes = bytes(text);
        // Bytes after the content show that the length is respected.
        var padded = Arrays.copyOf(bytes, bytes.length + 3);
        return SitemapParser.parse(padded, bytes.length, "text/xml", AT);
    }

    private static List<String> urls(Sitemap sitemap) {
        return sitemap.entries().stream().map(Sitemap.Entry::url).toList();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void aSitemapOfEmptyGzipMembersIsReadWithoutRecursion() throws IOException {
        var member = gzip("");
        var few = new ByteArrayOutputStream();
        for (var i = 0; i < 100_000; i++) {
            few.writeBytes(member);
        }
        few.writeBytes(gzip("https://shop.example/1\n"));
        var content = few.toByteArray();
        assertThat(urls(SitemapParser.parse(content, content.length, "", AT)))
                .containsExactly("https://shop.example/1");
    }

    private static byte[] gzip(String text) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }
}
