package dev.orbweaver.imports;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.imports.SourceServer.Reply;
import dev.orbweaver.internal.fetch.NameServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

class CtSourceTest {

    private static final String CERTIFICATES =
            """
            [{"issuer_name":"x","common_name":"*.s.example","name_value":"*.s.example\\ns.example"},
             {"common_name":"www.s.example","name_value":"WWW.s.example.\\nmail.s.example"},
             {"common_name":null,"name_value":"admin@s.example\\nother.example\\nbad name.s.example"},
             {"common_name":"a.s.example","name_value":"gone.s.example\\na.s.example\\n<b>.s.example"},
             {"name_value":"inner.s.example\\n*.w.s.example"}]
            """;

    @TempDir private Path directory;

    @Test
    void namesAreReducedToHostsThatHaveAPublicAddress() throws Exception {
        try (var server = SourceServer.start(_ -> Reply.json(CERTIFICATES))) {
            var run = read(server, "ct:S.example");

            assertThat(run.urls())
                    .containsExactly(
                            "https://s.example/",
                            "https://www.s.example/",
                            "https://mail.s.example/",
                            "https://a.s.example/",
                            "https://w.s.example/");
            assertThat(run.rejected)
                    .anySatisfy(line -> assertThat(line).startsWith("4 gone.s.example: no address"))
                    .anySatisfy(
                            line -> assertThat(line).isEqualTo("4 <b>.s.example: not a host name"))
                    .anySatisfy(
                            line -> assertThat(line).startsWith("5 inner.s.example: 10.0.0.1 is "))
                    .anySatisfy(line -> assertThat(line).contains("name.s.example: no address"));
            assertThat(run.failure).isEmpty();
            assertThat(server.requests().getFirst().parameter("q")).isEqualTo("%.s.example");
        }
    }

    @Test
    void moreHostsThanTheMaximumAreLeftOutWithASentence() throws Exception {
        try (var server = SourceServer.start(_ -> Reply.json(CERTIFICATES))) {
            var run = read(server, "ct:s.example#max=2");

            assertThat(run.urls()).containsExactly("https://s.example/", "https://www.s.example/");
            assertThat(run.failure)
                    .contains(
                            "for more than 2 hosts; the others were left out, use #max=N for more");
        }
    }

    @Test
    void incompleteDataIsRequestedAgainAndAPageOfHtmlIsOneSentence() throws Exception {
        var cut = CERTIFICATES.substring(0, CERTIFICATES.length() - 30);
        try (var once =
                        SourceServer.start(
                                request -> Reply.json(request.number() == 1 ? cut : CERTIFICATES));
                var always = SourceServer.start(_ -> Reply.json(cut));
                var page = SourceServer.start(_ -> Reply.html(200, "<!doctype html><html>"))) {
            assertThat(read(once, "ct:s.example").urls()).hasSize(5);
            assertThat(read(always, "ct:s.example").failure)
                    .isEqualTo(
                            "127.0.0.1 sent data that is not JSON or is incomplete, also at attempt"
                                    + " 3");
            assertThat(read(page, "ct:s.example").failure)
                    .startsWith("127.0.0.1 sent an HTML page instead of JSON");
        }
    }

    private SourceRun read(SourceServer server, String spec) throws Exception {
        try (var names = NameServer.start((name, _) -> addresses(name))) {
            var address = names.address();
            return SourceRun.of(
                    directory,
                    spec,
                    "ct-endpoint",
                    server.url("/"),
                    "allow-private",
                    "false",
                    "allow-origins",
                    server.url("/"),
                    "dns-server",
                    address.getHostString() + ":" + address.getPort());
        }
    }

    private static List<String> addresses(String name) {
        return switch (name) {
            case "s.example", "www.s.example", "mail.s.example", "a.s.example", "w.s.example" ->
                    List.of("198.41.0.4");
            case "inner.s.example" -> List.of("10.0.0.1");
            default -> List.of();
        };
    }
}
