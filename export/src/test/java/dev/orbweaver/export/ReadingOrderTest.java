package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

class ReadingOrderTest {

    @Test
    void pagesFollowTheFirstPageThatLinksToThem() {
        // Responses arrived in this order: 1, 3, 2, 21, 22, 4; no page links to page 9.
        var pages = new LongIndex();
        for (var page : new long[] {1, 3, 2, 21, 22, 4, 9}) {
            pages.add(page);
        }
        var order = new ReadingOrder(pages);
        order.add(1, links(7, 2, 3, 4, 1));
        order.add(3, links(1, 2, 4));
        order.add(2, links(21, 22, 3));
        order.add(21, links(1));
        order.add(22, links());
        order.add(4, links(21));
        order.add(9, links(1));
        var ranks = order.ranks();
        assertThat(new long[] {1, 2, 21, 22, 3, 4, 9})
                .containsExactly(
                        Arrays.stream(new long[] {1, 3, 2, 21, 22, 4, 9})
                                .boxed()
                                .sorted(
                                        java.util.Comparator.comparingInt(
                                                page -> ranks[pages.find(page)]))
                                .mapToLong(Long::longValue)
                                .toArray());
    }

    @Test
    void aChainAsLongAsTheCrawlNeedsNoStack() {
        var pages = new LongIndex();
        for (var page = 0; page < 200_000; page++) {
            pages.add(page);
        }
        var order = new ReadingOrder(pages);
        for (var page = 0; page < 200_000; page++) {
            order.add(page, links(page + 1));
        }
        assertThat(order.ranks()).isSorted();
    }

    private static List<Link> links(long... keys) {
        return Arrays.stream(keys)
                .mapToObj(
                        key ->
                                new Link(
                                        new CrawlUrl(
                                                "http://a.test/" + key,
                                                "a.test",
                                                new Fingerprint(key, (short) 0)),
                                        LinkKind.ANCHOR,
                                        false))
                .toList();
    }
}
