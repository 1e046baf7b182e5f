package dev.orbweaver.internal.parse;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;
import dev.orbweaver.spi.Document;

import java.util.List;

/** Pages for tests and a short way to parse them. */
final class Pages {

    static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);
    static final String ADDRESS = "https://spider.example/web/silk.html";

    static final List<String> SAMPLES =
            List.of(
                    """
                    <!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>Silk &amp; dew</title>
                    <base href="/garden/"><link rel=stylesheet href=s.css><link rel=next href="p2">
                    <script>if (a < b) document.write('<a href="no">')</script></head>
                    <body class='x'><!-- <a href=hidden> --><p>A <a href="one?a=1&amp;b=2">one</a>,
                    <a rel="nofollow" href='two.html#end'>two</a> <img src=i.png srcset="i2.png 2x">
                    <map><area href=area.html></map><iframe src="frame.html"><a href=no2></iframe>
                    <form action=find><input type=image src=go.gif></form></body></html>
                    """,
                    """
                    <table><tr><td><a href=a1>1</a><td><a href="a2">2</a></table>
                    <svg viewBox="0 0 1 1"><title>t<a href=x1></a></title><a href=s1><path d="M0 0"/></a>
                    <style><a href=s2></a></style><![CDATA[<a href=c1>]]></svg><div>
                    <template><a href=t1>no</a></template><textarea><a href=no></textarea>
                    <ul><li><a href=l1>&copy;<li><a href="l2?x&copy=3">3</ul><math><mi><a href=m1></a></mi></math>
                    """,
                    """
                    <html><body><noscript><img src=pixel.gif><a href=plain></a></noscript>
                    <style>p > a { color: red } </style><p><b><a href='deep/er/'>x</b></a>
                    <script><!-- "<a href=no>" --></script><a href="/root">r</a>
                    <video src=v.mp4 poster=v.jpg><track src=t.vtt></video><object data=o.swf></object>
                    <a href="../up">u</a><a href="//other.example/x">o</a><a href="mailto:a@b">m</a>
                    """);

    private Pages() {}

    static Page parse(byte[] bytes, String contentType) {
        return new HtmlParser(URLS)
                .parse(
                        new Document(
                                URLS.parse(ADDRESS).orElseThrow(),
                                contentType,
                                List.of(),
                                bytes,
                                bytes.length));
    }

    static Page parse(String html) {
        return parse(html.getBytes(UTF_8), "text/html; charset=utf-8");
    }

    static String minHash(String html) {
        return new HtmlParser(URLS, true).parse(document(html)).minHash();
    }

    static long simHash(String html) {
        return new HtmlParser(URLS, true).parse(document(html)).simHash();
    }

    static Document document(String html) {
        var bytes = html.getBytes(UTF_8);
        return new Document(
                URLS.parse(ADDRESS).orElseThrow(),
                "text/html; charset=utf-8",
                List.of(),
                bytes,
                bytes.length);
    }

    /** Returns the links of one kind, relative to the page's address. */
    static List<String> links(Page page, LinkKind kind) {
        return page.links().stream()
                .filter(link -> link.kind() == kind)
                .map(Link::url)
                .map(url -> url.text().replace("https://spider.example", ""))
                .toList();
    }
}
