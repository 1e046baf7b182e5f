package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;
import dev.orbweaver.spi.Document;
import dev.orbweaver.spi.Parser;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.IntStream;

class GuardedParserTest {

    private static final CrawlUrls URLS =
            new CrawlUrls(Normalisation.DEFAULT, FingerprintKey.random());
    private static final Document DOCUMENT =
            new Document(
                    URLS.parse("http://a.test/list").orElseThrow(),
                    "",
                    List.of(),
                    new byte[10],
                    10);

    private static Page parse(Duration timeout, Function<Document, Page> parser) {
        var parsed =
                new Parser() {
                    @Override
                    public boolean accepts(String mediaType) {
                        return true;
                    }

                    @Override
                    public Page parse(Document document) {
                        return parser.apply(document);
                    }
                };
        return new GuardedParser(parsed, URLS, timeout).parse(DOCUMENT);
    }

    private static Page page(List<Link> links) {
        return new Page("title", "utf-8", links, false, false);
    }

    private static Link link(String reference) {
        return new Link(DOCUMENT.resolve(reference).orElseThrow(), LinkKind.ENTRY, false);
    }

    @Test
    void aParserThatDoesNotReturnIsGivenUp() {
        var never = new CountDownLatch(1);
        var page =
                parse(
                        Duration.ofMillis(50),
                        _ -> {
                            while (never.getCount() > 0) {
                                Thread.onSpinWait(); // It ignores interrupts too.
                            }
                            return Page.EMPTY;
                        });
        never.countDown();
        assertThat(page.truncated()).isEqualTo("parser failed: no result after 50 ms");
        assertThat(page.links()).isEmpty();
    }

    @Test
    void aParserThatThrowsHasNoLinks() {
        var page =
                parse(
                        Duration.ofSeconds(30),
                        _ -> {
                            throw new StackOverflowError("deep");
                        });
        assertThat(page.truncated()).isEqualTo("parser failed: java.lang.StackOverflowError: deep");
    }

    @Test
    void linksGetTheFingerprintsOfTheCrawlAndAreDistinct() {
        var page =
                parse(
                        Duration.ofSeconds(30),
                        _ -> page(List.of(link("/a"), link("/b"), link("/a"))));
        assertThat(page.links())
                .extracting(Link::url)
                .containsExactly(
                        URLS.parse("http://a.test/a").orElseThrow(),
                        URLS.parse("http://a.test/b").orElseThrow());
        assertThat(page.truncated()).isEmpty();
    }

    @Test
    void theNumberOfLinksIsBoundedAndTheLimitIsNamed() {
        var links =
                IntStream.rangeClosed(0, LinkSet.LINKS_MAX).mapToObj(n -> link("/" + n)).toList();
        assertThat(parse(Duration.ofMinutes(3), _ -> page(links.subList(0, 50_000))).truncated())
                .isEmpty();
        var bounded = parse(Duration.ofMinutes(3), _ -> page(links));
        assertThat(bounded.links()).hasSizeLessThanOrEqualTo(LinkSet.LINKS_MAX);
        assertThat(bounded.truncated()).startsWith("more than ");
        var chars = bounded.links().stream().mapToLong(it -> it.url().text().length()).sum();
        assertThat(chars).as("a document of 10 bytes").isLessThan((2 << 20) + 1_000);
    }

    @Test
    void onlyWhatAParserIsToSetIsKept() {
        var page =
                parse(
                        Duration.ofSeconds(30),
                        _ ->
                                new Page(
                                        "t".repeat(5_000),
                                        "c".repeat(5_000),
                                        List.of(),
                                        true,
                                        true,
                                        "l".repeat(5_000),
                                        7,
                                        "m",
                                        "d".repeat(5_000),
                                        "",
                                        "{\"own\":1}",
                                        "none"));
        assertThat(page)
                .isEqualTo(new Page("t".repeat(1_000), "c".repeat(100), List.of(), true, true));
    }
}
