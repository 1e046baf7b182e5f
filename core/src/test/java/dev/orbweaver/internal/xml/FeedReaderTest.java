package dev.orbweaver.internal.xml;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;

class FeedReaderTest {

    private final List<String> calls = new ArrayList<>();
    private String title = "";
    private String language = "";

    @Test
    void rssIsReadInTheOrderOfTheDocument() throws Exception {
        var complete =
                read(
                        """
                        <?xml version="1.0"?><rss xml:base="http://a.test/b/"><channel>
                        <title> News </title><link>http://a.test/</link><language>en</language>
                        <atom:link rel="self" href="/feed"/>
                        <item><title>no</title><guid>http://a.test/g</guid><link> /1 </link>
                        <pubDate>today</pubDate><dc:date>2020</dc:date>
                        <enclosure url="a.mp3"/><media:link>no</media:link></item>
                        <item><guid ISPERMALINK="False">http://a.test/no</guid></item>
                        <item><guid>tag:a</guid></item></channel></rss>
                        """);
        assertThat(complete).isTrue();
        assertThat(title).isEqualTo("News");
        assertThat(language).isEqualTo("en");
        assertThat(calls)
                .containsExactly(
                        "base http://a.test/b/",
                        "related http://a.test/",
                        "self /feed",
                        "entry /1",
                        "date today",
                        "date 2020",
                        "enclosure a.mp3",
                        "end http://a.test/g",
                        "end ",
                        "end ");
    }

    @Test
    void atomMayHaveAPrefixAndAnUpdateCountsMoreThanThePublication() throws Exception {
        var complete =
                read(
                        """
                        <x:feed xml:lang="de"><x:link href="http://a.test/"/>
                        <x:entry><x:link rel=" Alternate " href="1"/><x:link rel="edit" href="2"/>
                        <x:updated>2021</x:updated><x:published>2020</x:published></x:entry>
                        <x:entry><x:published>2019</x:published><link href="no"/></x:entry></x:feed>
                        """);
        assertThat(complete).isTrue();
        assertThat(language).isEqualTo("de");
        assertThat(calls)
                .containsExactly(
                        "alternate http://a.test/",
                        "entry 1",
                        "edit 2",
                        "date 2021",
                        "end ",
                        "date 2019",
                        "end ");
    }

    @Test
    void anItemOfRss1IsIdentifiedByItsSubject() throws Exception {
        assertThat(read("<rdf:RDF><item rdf:about='http://a.test/1'></item></rdf:RDF>")).isTrue();
        assertThat(calls).containsExactly("end http://a.test/1");
    }

    @Test
    void aFeedThatBreaksOffGivesItsLastEntryAndIsNotComplete() throws Exception {
        assertThat(read("<rss><item><link>/1</link><item><link>/2</link>")).isFalse();
        assertThat(calls).containsExactly("entry /1", "end ", "entry /2", "end ");
    }

    @Test
    void otherDocumentsAreNotRead() throws Exception {
        assertThat(read("<html><item><link>/1</link></item></html>")).isFalse();
        assertThat(calls).isEmpty();
    }

    @Test
    void longTextsAreNoUrlsAndLongAttributesAreTooLongForOne() throws Exception {
        var longest = "x".repeat(XmlTokenizer.TEXT_CHARS_MAX);
        var feed = "<rss><item><link>%s</link><enclosure url='%s'/></item></rss>";
        assertThat(read(feed.formatted(longest + "x", longest + "xyz"))).isTrue();
        assertThat(calls).containsExactly("enclosure " + longest + "x", "end ");
        calls.clear();
        assertThat(read(feed.formatted(longest, longest))).isTrue();
        assertThat(calls).containsExactly("entry " + longest, "enclosure " + longest, "end ");
    }

    @Test
    void anAttributeWithoutAValueHidesNoOther() throws Exception {
        assertThat(read("<rss><item><link new href = '/1' href='/2'/></item></rss>")).isTrue();
        assertThat(calls).containsExactly("entry /1", "end ");
    }

    private boolean read(String text) throws IOException {
        var tokenizer = new XmlTokenizer(new StringReader(text));
        assertThat(tokenizer.next()).isEqualTo(XmlTokenizer.Token.START);
        var reader = new FeedReader(tokenizer, new Recorder());
        var complete = reader.read();
        title = reader.title();
        language = reader.language();
        return complete;
    }

    private final class Recorder implements FeedHandler {

        @Override
        public void base(String url) {
            if (!url.isEmpty()) {
                calls.add("base " + url);
            }
        }

        @Override
        public void entryLink(String target) {
            calls.add("entry " + target);
        }

        @Override
        public void otherLink(String target, String rel) {
            calls.add(rel + " " + target);
        }

        @Override
        public void date(String text) {
            calls.add("date " + text);
        }

        @Override
        public void endEntry(String id) {
            calls.add("end " + id);
        }
    }
}
