package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class TokenCommandTest {

    @TempDir Path directory;

    private CommandResult token(String... words) {
        var line = new ArrayList<>(List.of("token"));
        line.addAll(List.of(words));
        line.add("--token-file=" + directory.resolve("tokens"));
        return CommandResult.run(line.toArray(String[]::new));
    }

    @Test
    void aTokenIsCreatedListedAndRevoked() throws Exception {
        assertThat(token("list").out()).startsWith("no tokens in ");
        var created =
                token(
                        "create",
                        "ann",
                        "--role=operator",
                        "--quota=jobs=5",
                        "--quota",
                        "pages-per-day=1000");
        assertThat(created.err()).isEmpty();
        assertThat(created.out()).matches("[0-9a-f]{64}\\R");
        assertThat(Files.readString(directory.resolve("tokens")))
                .startsWith("ann sha256:")
                .doesNotContain(created.out().strip());
        assertThat(token("create", "bob").code()).isZero();
        assertThat(token("list").out())
                .isEqualTo(
                        """
                        ann                   operator jobs=5 pages-per-day=1000
                        bob                   viewer
                        """);
        assertThat(token("revoke", "ann").out().strip()).isEqualTo("revoked the token of ann");
        assertThat(token("list").out()).startsWith("bob ");
    }

    @Test
    void aMistakeIsOneSentence() {
        var _ = token("create", "ann");
        assertThat(token("create", "ann").err())
                .contains("there is a token with the name ann; revoke it first");
        assertThat(token("create", "a b").err()).contains("a name has 1 to 100 letters");
        assertThat(token("create", "bob", "--role=boss").err())
                .contains("--role: expected viewer, operator or admin, not 'boss'");
        assertThat(token("create", "bob", "--quota=pages=1").err())
                .contains("--quota: expected jobs=N, pages-per-day=N or concurrency=N");
        assertThat(token("revoke", "bob").err()).contains("has no token with the name bob");
    }
}
