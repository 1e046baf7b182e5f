package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

class ExcerptTest {

    private static final String FILL = "lorem ipsum dolor sit amet ".repeat(30);

    @Test
    void theWordsOfASearchAreThoseThatAPageMustHave() {
        assertThat(Excerpt.words("\"Silk knots\" -wool spin*"))
                .containsExactly("silk", "knots", "spin");
        assertThat(Excerpt.words("  ")).isEmpty();
    }

    @Test
    void theExcerptHasTheWordsInTheirContext() {
        var text = FILL + "Of Silk\n and many knots. " + FILL;
        var excerpt = Excerpt.of(text, List.of("silk", "knots"));
        assertThat(excerpt).contains("Of Silk and many knots.").startsWith("… ").endsWith(" …");
        assertThat(excerpt.length()).isLessThan(330);
    }

    @Test
    void thePlaceWithMoreOfTheWordsWins() {
        var text = "silk here. " + FILL + "silk with knots. " + FILL;
        assertThat(Excerpt.of(text, List.of("silk", "knots"))).contains("silk with knots.");
    }

    @Test
    void aWordInsideAnotherIsNoMatch() {
        assertThat(Excerpt.of("unsilken", List.of("silk"))).isEmpty();
        assertThat(Excerpt.of("silken", List.of("silk"))).isEqualTo("silken");
    }

    @Test
    void aTextWithoutSpacesIsCut() {
        var text = "x".repeat(5_000) + ".silk" + "y".repeat(5_000);
        assertThat(Excerpt.of(text, List.of("silk"))).contains("silk").hasSizeLessThan(400);
    }
}
