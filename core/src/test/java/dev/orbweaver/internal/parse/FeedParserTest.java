package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;
import dev.orbweaver.spi.Document;

import org.junit.jupiter.api.Test;

import java.util.List;

class FeedParserTest {

    @Test
    void rssItemsAreEntries() {
        var page =
                feed(
                        """
                        <?xml version="1.0"?><!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>
                        <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
                        <title>Silk &amp; dew</title><link>https://spider.example/</link>
                        <atom:link href="https://spider.example/feed" rel="self"/><language>en-gb</language>
                        <item><title>One</title><link>https://spider.example/1?a=1&amp;b=2</link>
                        <media:title>no</media:title><guid>https://spider.example/?p=1</guid></item>
                        <item><link><![CDATA[ https://spider.example/2 ]]></link>
                        <enclosure url="/pod.mp3" length="1" type="audio/mpeg"/></item>
                        <item><guid isPermaLink="false">https://spider.example/no</guid></item>
                        <item><guid>https://spider.example/3</guid><link/></item>
                        </channel></rss>
                        """);
        assertThat(page.title()).isEqualTo("Silk & dew");
        assertThat(page.language()).isEqualTo("en-gb");
        assertThat(Pages.links(page, LinkKind.ENTRY)).containsExactly("/1?a=1&b=2", "/2", "/3");
        assertThat(Pages.links(page, LinkKind.REQUISITE)).containsExactly("/pod.mp3");
        assertThat(Pages.links(page, LinkKind.RELATED)).containsExactly("/");
    }

    @Test
    void atomEntriesAreEntries() {
        var page =
                feed(
                        """
                        <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://spider.example/blog/" xml:lang="de">
                        <title type="text">Netze</title><link rel="next" href="page2"/><link rel="self" href="me"/>
                        <entry><link rel="edit" href="edit/1"/><link href="first"/><content type="html">&lt;a href="no"></content></entry>
                        <entry><link rel="alternate" href="https://other.example/x"/><link rel="enclosure" href="a.ogg"/></entry>
                        """);
        assertThat(page.title()).isEqualTo("Netze");
        assertThat(page.language()).isEqualTo("de");
        assertThat(Pages.links(page, LinkKind.ENTRY))
                .containsExactly("/blog/first", "https://other.example/x");
        assertThat(Pages.links(page, LinkKind.RELATED)).containsExactly("/blog/page2");
        assertThat(Pages.links(page, LinkKind.REQUISITE)).containsExactly("/blog/a.ogg");
    }

    @Test
    void rssOfTheFirstVersionHasItsItemsBesideTheChannel() {
        var page =
                feed(
                        """
                        <rdf:RDF><channel rdf:about="https://spider.example/c"><title>T</title></channel>
                        <item rdf:about="https://spider.example/a"><link>https://spider.example/a</link></item>
                        <item rdf:about="https://spider.example/b"><title>x</title></item></rdf:RDF>
                        """);
        assertThat(Pages.links(page, LinkKind.ENTRY)).containsExactly("/a", "/b");
    }

    @Test
    void xmlThatIsNoFeedHasNoLinks() {
        assertThat(feed("<html><item><link>https://spider.example/</link></item></html>").links())
                .isEmpty();
        assertThat(feed("").links()).isEmpty();
    }

    @Test
    void aFeedInUtf16IsRead() {
        var bytes =
                "<rss><item><link>https://spider.example/ü</link></item></rss>".getBytes(UTF_16);
        assertThat(Pages.links(parse(bytes), LinkKind.ENTRY)).containsExactly("/%C3%BC");
    }

    @Test
    void theReferencesOfHtmlAreKnown() {
        var page =
                feed(
                        "<rss><title>&Uuml;ber &#8217; &nosuch; &amp;</title><item>"
                            + "<link>http://spider.example/?a&copy=1&amp;b</link></item></rss>");
        assertThat(page.title()).isEqualTo("\u00dcber \u2019 &nosuch; &");
        assertThat(Pages.links(page, LinkKind.ENTRY))
                .containsExactly("http://spider.example/?a&copy=1&b");
    }

    private static Page feed(String xml) {
        return parse(xml.getBytes(UTF_8));
    }

    private static Page parse(byte[] bytes) {
        return new FeedParser(Pages.URLS)
                .parse(
                        new Document(
                                Pages.URLS.parse(Pages.ADDRESS).orElseThrow(),
                                "application/xml",
                                List.of(),
                                bytes,
                                bytes.length));
    }
}
