package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.Hop;

import org.junit.jupiter.api.Test;

class PriorityTest {

    private static final String PAGE = "http://a.example/";

    private static int score(String url, int depth, long pages) {
        return Priority.score(new Candidate(Fixture.url(url), Hop.LINK, depth, 0), pages);
    }

    @Test
    void aFrontPageStartsAtAHundred() {
        assertThat(score(PAGE, 0, 10)).isEqualTo(100);
    }

    @Test
    void everyLevelOfDepthCostsTen() {
        assertThat(score(PAGE, 1, 10)).isEqualTo(90);
        assertThat(score(PAGE, 7, 10)).isEqualTo(30);
    }

    @Test
    void mediaAndDocumentsCostTwenty() {
        assertThat(score(PAGE + "x.PDF", 0, 10)).isEqualTo(80);
        assertThat(score(PAGE + "x.jpg?size=1", 0, 10)).isEqualTo(80);
        assertThat(score(PAGE + "x.html", 0, 10)).isEqualTo(100);
        assertThat(score(PAGE + "?file=x.pdf", 0, 10)).isEqualTo(100);
    }

    @Test
    void aQueryOverFiftyCharactersCostsTen() {
        assertThat(score(PAGE + "?" + "q".repeat(50), 0, 10)).isEqualTo(100);
        assertThat(score(PAGE + "?" + "q".repeat(51), 0, 10)).isEqualTo(90);
    }

    @Test
    void aUrlOverAHundredCharactersCostsFive() {
        assertThat(score(PAGE + "p".repeat(100 - PAGE.length()), 0, 10)).isEqualTo(100);
        assertThat(score(PAGE + "p".repeat(101 - PAGE.length()), 0, 10)).isEqualTo(95);
    }

    @Test
    void aHostUnderTenPagesGainsFive() {
        assertThat(score(PAGE, 2, 9)).isEqualTo(85);
        assertThat(score(PAGE, 2, 10)).isEqualTo(80);
    }

    @Test
    void theScoreStaysBetweenZeroAndAHundred() {
        assertThat(score(PAGE, 0, 0)).isEqualTo(100);
        assertThat(score(PAGE, 1_000_000, 10)).isZero();
    }

    @Test
    void aRankIsFivePoints() {
        assertThat(Priority.rank(100)).isZero();
        assertThat(Priority.rank(96)).isZero();
        assertThat(Priority.rank(95)).isEqualTo(1);
        assertThat(Priority.rank(0)).isEqualTo(Priority.LAST_RANK);
        assertThat(Priority.rank(-30)).isEqualTo(Priority.LAST_RANK);
        for (var score = 0; score <= 100; score += 5) {
            assertThat(Priority.scoreOfRank(Priority.rank(score))).isEqualTo(score);
        }
    }
}
