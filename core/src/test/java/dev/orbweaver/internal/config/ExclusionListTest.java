package dev.orbweaver.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.model.HostPattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

class ExclusionListTest {

    @TempDir Path directory;

    @Test
    void aListHoldsOnePatternALineAndRemarks() throws IOException {
        var file = directory.resolve("list");
        Files.writeString(file, "# ours\n\nA.example\n *.b.example # all of it\n.c.example\n");
        assertThat(ExclusionList.read(file))
                .containsExactly(
                        new HostPattern("a.example", true, false),
                        new HostPattern("b.example", false, true),
                        new HostPattern("c.example", true, true));
    }

    @Test
    void aListThatIsNotThereIsEmpty() throws IOException {
        assertThat(ExclusionList.read(directory.resolve("none"))).isEmpty();
    }

    @Test
    void aLineThatIsNoPatternIsNamedWithItsPlace() throws IOException {
        var file = directory.resolve("list");
        Files.writeString(file, "a.example\nhttp://b.example/\n");
        assertThatThrownBy(() -> ExclusionList.read(file))
                .hasMessage(
                        file
                                + ", line 2: 'http://b.example/' is not a host pattern; expected"
                                + " NAME, *.NAME or .NAME");
    }

    @Test
    void aChangeKeepsEverythingElse() throws IOException {
        var file = directory.resolve("list");
        Files.writeString(file, "# ours\na.example\nb.example # why\n");
        ExclusionList.change(
                file,
                Set.of(HostPattern.of(".c.example"), HostPattern.of("b.example")),
                Set.of(HostPattern.of("a.example")));
        var text = "# ours\nb.example # why\n.c.example\n";
        assertThat(file).hasContent(AtomicFile.withChecksum(text));
        ExclusionList.change(file, Set.of(HostPattern.of("d.example")), Set.of());
        assertThat(file).hasContent(AtomicFile.withChecksum(text + "d.example\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "*x.example", "a.*.example", "..example", "example.com:80"})
    void aTextThatIsNoPatternIsNotAccepted(String text) {
        assertThat(ExclusionList.pattern(text)).isEmpty();
    }
}
