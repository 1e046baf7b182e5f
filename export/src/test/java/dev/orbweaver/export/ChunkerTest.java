package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.export.markdown.TokenEstimator;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

class ChunkerTest {

    @Test
    void aChunkNeverCrossesAHeadingButAnEmptyOneStaysWithWhatFollows() {
        var chunks = Chunker.chunks("# A\n\n## B\n\none\n\n## C\n\ntwo\n\n# D\n\nthree\n", 500);
        assertThat(chunks)
                .extracting(Chunker.Chunk::text)
                .containsExactly("# A\n\n## B\n\none", "## C\n\ntwo", "# D\n\nthree");
        assertThat(chunks)
                .extracting(Chunker.Chunk::headings)
                .containsExactly(List.of("A", "B"), List.of("A", "C"), List.of("D"));
    }

    @Test
    void codeIsCutAtLinesAndEveryPieceIsFencedAgain() {
        var code =
                java.util.stream.IntStream.range(0, 60)
                        .mapToObj(i -> "let line" + i + " = " + i + ";\n\n")
                        .collect(Collectors.joining());
        var chunks = Chunker.chunks("# T\n\n```rust\n" + code + "```\n", 64);
        assertThat(chunks).hasSizeGreaterThan(3);
        assertThat(chunks.subList(1, chunks.size()))
                .allSatisfy(
                        chunk ->
                                assertThat(chunk.text()).startsWith("```rust\n").endsWith("\n```"));
        var inside =
                chunks.stream()
                        .map(Chunker.Chunk::text)
                        .flatMap(String::lines)
                        .filter(line -> line.startsWith("let"))
                        .toList();
        assertThat(inside)
                .hasSize(60)
                .isSortedAccordingTo(
                        java.util.Comparator.comparingInt(
                                line -> Integer.parseInt(line.replaceAll(".*= |;", ""))));
    }

    @Test
    void aTableIsCutAtRowsAndItsHeadIsRepeated() {
        var table = new StringBuilder("| name | value |\n| --- | --- |\n");
        for (var i = 0; i < 80; i++) {
            table.append("| row").append(i).append(" | some value |\n");
        }
        var chunks = Chunker.chunks(table.toString(), 64);
        assertThat(chunks)
                .hasSizeGreaterThan(3)
                .allSatisfy(
                        chunk ->
                                assertThat(chunk.text())
                                        .startsWith("| name | value |\n| --- | --- |\n"));
    }

    @Test
    void nothingIsLostAndNoChunkIsMuchTooLong() {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        for (var round = 0; round < 300; round++) {
            var markdown = new StringBuilder();
            for (var block = 0; block < 30; block++) {
                markdown.append(
                        switch (random.nextInt(4)) {
                            case 0 -> "#".repeat(1 + random.nextInt(6)) + " h" + block;
                            case 1 -> "```\n" + words(random, 40).replace(' ', '\n') + "\n```";
                            case 2 -> "- " + words(random, 5) + "\n- " + words(random, 9);
                            default -> words(random, 120);
                        });
                markdown.append("\n\n");
            }
            var chunks = Chunker.chunks(markdown.toString(), 40);
            var all = chunks.stream().map(Chunker.Chunk::text).collect(Collectors.joining("\n"));
            assertThat(bare(all)).as("seed %d", seed).isEqualTo(bare(markdown.toString()));
            assertThat(chunks)
                    .as("seed %d", seed)
                    .allSatisfy(
                            chunk ->
                                    assertThat(
                                                    TokenEstimator.estimate(
                                                            withoutHeadings(chunk.text())))
                                            .isLessThanOrEqualTo(44));
        }
    }

    private static String withoutHeadings(String text) {
        return text.replaceAll("(?m)^#+ .*$", "");
    }

    private static String words(Random random, int max) {
        return random.ints(1 + random.nextInt(max), 0, 1000)
                .mapToObj(i -> "w" + i)
                .collect(Collectors.joining(" "));
    }

    private static String bare(String text) {
        return text.replace("`", "").replaceAll("\\s+", " ").strip();
    }
}
