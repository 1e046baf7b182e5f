package dev.orbweaver.imports;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.imports.SourceServer.Reply;
import dev.orbweaver.internal.fetch.NameServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

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
    void onlyAnEmptyListMeansThatThereAreNoCertificates() throws Exception {
        try (var none = SourceServer.start(_ -> Reply.json("[]"));
                var missing = SourceServer.start(_ -> Reply.html(404, "<html>"));
                var empty = SourceServer.start(_ -> Reply.json(""));
                var other = SourceServer.start(_ -> Reply.json("{\"message\":\"busy\"}"));
                var refused = SourceServer.start(_ -> Reply.html(403, "<html>"))) {
            assertThat(read(none, "ct:s.example").urls()).containsExactly("https://s.example/");
            assertThat(read(none, "ct:s.example").failure).isEmpty();
            assertThat(read(missing, "ct:s.example").failure)
                    .startsWith("127.0.0.1 sent an HTML page instead of JSON (status 404), also");
            assertThat(read(empty, "ct:s.example").failure)
                    .startsWith("127.0.0.1 sent an empty response, also at attempt 3; try again");
            assertThat(read(other, "ct:s.example").failure)
                    .startsWith("127.0.0.1 sent a response that is not the expected JSON, also");
            assertThat(read(refused, "ct:s.example").failure)
                    .startsWith("127.0.0.1 refuses access (status 403); wait some hours");
            assertThat(refused.requests()).hasSize(1);
        }
    }

    @Test
    void namesWithoutAResponseAreLookedUpAgainAndASilentNameServerEndsTheSource() throws Exception {
        var names = new StringBuilder("s.example");
        for (var i = 0; i < 16 * 13; i++) {
            names.append("\\n").append(i).append(".s.example");
        }
        var many = "[{\"name_value\":\"%s\"}]".formatted(names);
        var silent = new AtomicBoolean(true);
        try (var server = SourceServer.start(_ -> Reply.json(CERTIFICATES));
                var large = SourceServer.start(_ -> Reply.json(many));
                var dns =
                        NameServer.start(
                                (name, _) ->
                                        silent.get() && name.startsWith("www.")
                                                ? List.of("silence")
                                                : addresses(name));
                var dead = NameServer.start((_, _) -> List.of("silence"))) {
            var run = new SourceRun();
            try (var sources =
                    new SeedSources(
                            SourceRun.config(settings(server, dns, "200ms")),
                            directory,
                            InputStream.nullInputStream())) {
                sources.open(SourceSpec.parse("ct:s.example"))
                        .read(
                                run.onProgress(
                                        what ->
                                                silent.set(
                                                        silent.get() && !what.contains("again"))));
            }

            assertThat(run.urls()).hasSize(5).endsWith("https://www.s.example/");
            assertThat(run.progress)
                    .contains("s.example: looking up 3 names again that got no response");
            assertThat(
                            SourceRun.of(directory, "ct:s.example", settings(large, dead, "50ms"))
                                    .failure)
                    .startsWith("the name server has not answered for ")
                    .endsWith("209 of 209 names were not looked up, try again later");
        }
    }

    @Test
    void incompleteDataIsRequestedAgainAndAPageOfHtmlIsOneSentence() throws Exception {
        var cut = CERTIFICATES.substring(0, CERTIFICATES.length() - 30);
        try (var once =
                        SourceServer.start(
                                request ->
                                        request.number() == 2
                                                ? Reply.html(200, "<!doctype html><html>")
                                                : Reply.json(
                                                        request.number() == 1
                                                                ? cut
                                                                : CERTIFICATES));
                var always = SourceServer.start(_ -> Reply.json(cut));
                var page = SourceServer.start(_ -> Reply.html(200, "<!doctype html><html>"))) {
            assertThat(read(once, "ct:s.example").urls()).hasSize(5);
            assertThat(read(always, "ct:s.example").failure)
                    .isEqualTo(
                            "127.0.0.1 sent data that is not JSON or is incomplete, also at attempt"
                                    + " 3; try again later, or check ct-endpoint");
            assertThat(read(page, "ct:s.example").failure)
                    .startsWith("127.0.0.1 sent an HTML page instead of JSON");
        }
    }

    private SourceRun read(SourceServer server, String spec) throws Exception {
        try (var names = NameServer.start((name, _) -> addresses(name))) {
            return SourceRun.of(directory, spec, settings(server, names, "10s"));
        }
    }

    private static String[] settings(SourceServer server, NameServer names, String timeout) {
        var address = names.address();
        return new String[] {
            "ct-endpoint",
            server.url("/"),
            "allow-private",
            "false",
            "allow-origins",
            server.url("/"),
            "dns-timeout",
            timeout,
            "dns-server",
            address.getHostString() + ":" + address.getPort()
        };
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
