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
    void nothingIsLostAndNoChunkIsTooLong() {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        for (var round = 0; round < 300; round++) {
            var markdown = new StringBuilder();
            for (var block = 0; block < 30; block++) {
                markdown.append(block(random)).append("\n\n");
            }
            var tokensMax = 16 + random.nextInt(60);
            var chunks = Chunker.chunks(markdown.toString(), tokensMax);
            var all = chunks.stream().map(Chunker.Chunk::text).collect(Collectors.joining("\n"));
            assertThat(bare(all)).as("seed %d", seed).isEqualTo(bare(markdown.toString()));
            assertThat(chunks)
                    .as("seed %d", seed)
                    .allSatisfy(
                            chunk -> {
                                var tokens = TokenEstimator.estimate(chunk.text());
                                assertThat(tokens).isLessThanOrEqualTo(tokensMax);
                                assertThat(chunk.tokens()).isEqualTo(tokens);
                            });
        }
    }

    private static String block(Random random) {
        return switch (random.nextInt(9)) {
            case 0 -> "#".repeat(1 + random.nextInt(6)) + " " + words(random, 9);
            case 1 -> "# " + words(random, 90);
            case 2 -> "```rust\n" + words(random, 40).replace(' ', '\n') + "\n```";
            case 3 -> "```\n" + words(random, 90) + "\n```";
            case 4 -> "- ```\n  " + words(random, 90).replace(" ", "\n  ") + "\n  ```";
            case 5 -> "- " + words(random, 5) + "\n- " + words(random, 90);
            case 6 -> "x".repeat(1 + random.nextInt(2_000));
            case 7 -> "\u8718\u86db\ud83d\udd77".repeat(1 + random.nextInt(60));
            default -> words(random, 120);
        };
    }

    @Test
    void aTableWhoseHeadIsLongerThanAChunkIsSplitToo() {
        var head = "| " + "name ".repeat(60) + "|\n| --- |\n";
        var chunks = Chunker.chunks(head + "| a long row |\n".repeat(40), 32);
        assertThat(chunks).allSatisfy(chunk -> assertThat(chunk.tokens()).isLessThanOrEqualTo(32));
    }

    @Test
    void aFenceThatBeginsAListItemIsClosedAndTextBehindItIsNotCode() {
        var chunks = Chunker.chunks("- ```\n  a\n  ```\n\n# T\n\ntext", 500);
        assertThat(chunks)
                .extracting(Chunker.Chunk::text)
                .containsExactly("- ```\n  a\n  ```", "# T\n\ntext");
    }

    private static String words(Random random, int max) {
        return random.ints(1 + random.nextInt(max), 0, 1000)
                .mapToObj(i -> "w" + i)
                .collect(Collectors.joining(" "));
    }

    /** Returns all that is not white space, without fences and the marks of items before them. */
    private static String bare(String text) {
        return text.replaceAll("(?:- )?```(?:rust)?", "").replaceAll("\\s+", "");
    }
}
