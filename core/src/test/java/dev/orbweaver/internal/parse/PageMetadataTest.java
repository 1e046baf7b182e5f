package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.parse.PageMetadata.Alternate;
import dev.orbweaver.model.LinkKind;

import org.junit.jupiter.api.Test;

import java.util.List;

class PageMetadataTest {

    private static final PageMetadata DETAILS =
            PageMetadata.of(
                    Pages.document(
                            """
                            <!DOCTYPE html><html lang="en-GB"><head><title>Orb &amp; web</title>
                            <meta name="Description" content=" How webs are made. ">
                            <link rel="canonical" href="/orb#x"><link rel="alternate" hreflang="DE" href="/de/orb">
                            <link rel="alternate" hreflang="x-default" href="https://spider.example/orb">
                            <link rel="alternate" type="application/rss+xml" href="/feed" title="News">
                            <meta property="og:title" content="Orb"><meta property="og:image" content="a.png">
                            <meta property="og:image" content="b.png"><meta name="twitter:card" content="summary">
                            <script type="application/ld+json">{"@type": "Article", "name": "</b>"}</script>
                            <script type="application/ld+json">{"broken": </script>
                            </head><body><a href="a.html" rel="nofollow">Read <b>all</b>
                            of it</a> <img src="i.png" alt="A web"><a href="javascript:x()">no</a></body></html>
                            """),
                    Pages.URLS);

    @Test
    void aPageSaysWhatItIs() {
        assertThat(DETAILS.title()).isEqualTo("Orb & web");
        assertThat(DETAILS.description()).isEqualTo("How webs are made.");
        assertThat(DETAILS.language()).isEqualTo("en-GB");
        assertThat(DETAILS.canonical()).contains("https://spider.example/orb#x");
    }

    @Test
    void otherLanguagesAreNamed() {
        assertThat(DETAILS.alternates())
                .containsExactly(
                        new Alternate("de", "https://spider.example/de/orb"),
                        new Alternate("x-default", "https://spider.example/orb"));
    }

    @Test
    void structuredDataIsHandedOnWhereItCanBeRead() {
        assertThat(DETAILS.openGraph())
                .containsEntry("og:title", List.of("Orb"))
                .containsEntry("og:image", List.of("a.png", "b.png"));
        assertThat(DETAILS.twitterCard()).containsEntry("twitter:card", List.of("summary"));
        assertThat(DETAILS.jsonLd())
                .containsExactly("{\"@type\": \"Article\", \"name\": \"</b>\"}");
    }

    @Test
    void linksHaveKindAndText() {
        var anchors =
                DETAILS.links().stream()
                        .filter(link -> link.link().kind() == LinkKind.ANCHOR)
                        .toList();
        assertThat(anchors).hasSize(1);
        assertThat(anchors.getFirst().text()).isEqualTo("Read all of it");
        assertThat(anchors.getFirst().link().nofollow()).isTrue();
        assertThat(DETAILS.links())
                .anyMatch(link -> link.text().equals("A web"))
                .anyMatch(
                        link ->
                                link.text().equals("News")
                                        && link.link().kind() == LinkKind.ALTERNATE);
    }

    @Test
    void propertiesKeepTheOrderOfThePage() {
        var details =
                details(
                        "<meta property=og:type content=t><meta name=og:url content=u><meta"
                            + " property=OG:Title content=x><meta property=og:audio content=a>");
        assertThat(details.openGraph().keySet())
                .containsExactly("og:type", "og:url", "og:title", "og:audio");
    }

    @Test
    void jsonLdIsFoundWithParametersAndInsideAComment() {
        var details =
                details(
                        "<script type='Application/LD+JSON; charset=utf-8'>[1]</script>"
                                + "<script type=application/ld+json><!-- {\"a\": 2} --></script>"
                                + "<script type=application/json>{}</script>"
                                + "<script type=application/ld+json>{} {}</script>");
        assertThat(details.jsonLd()).containsExactly("[1]", "{\"a\": 2}");
    }

    @Test
    void anAnchorOfImagesIsCalledAsTheyAreAndATemplateHasNone() {
        var details =
                details(
                        "<a href=x><img src=i alt='Go home'></a><template><a"
                                + " href=no>n</a></template><link rel=not-canonical href=no>");
        assertThat(details.links())
                .filteredOn(link -> link.link().kind() == LinkKind.ANCHOR)
                .extracting(PageMetadata.TextLink::text)
                .containsExactly("Go home");
        assertThat(details.canonical()).isEmpty();
    }

    private static PageMetadata details(String html) {
        return PageMetadata.of(Pages.document(html), Pages.URLS);
    }
}
