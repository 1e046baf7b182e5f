package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.config.Setting;
import dev.orbweaver.server.ApiClient;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/**
 * Sets every secret setting to a canary value and searches all output of a crawl for it. A new
 * secret setting must be added here.
 */
@Timeout(120)
@Slow
class SecretsTest {

    static final String CANARY = "kanarienvogel";
    private static final List<String> PRIVATE = List.of(".secrets.yaml", "job.json");

    @TempDir Path directory;

    private static Map<String, String> values(String origin, String host) {
        return Map.of(
                "credentials", origin + " basic ann:" + CANARY,
                "header", host + " X-Api-Key: " + CANARY,
                "proxy", "http://ann:" + CANARY + "@127.0.0.1:1",
                "mongodb",
                        "mongodb://ann:"
                                + CANARY
                                + "@127.0.0.1:1/x?serverSelectionTimeoutMS=50&connectTimeoutMS=50");
    }

    private static String value(String key) {
        return values("http://a.test", "a.test").getOrDefault(key, "");
    }

    @Test
    void everySecretSettingIsTriedHere() {
        assertThat(Modules.SETTINGS.all().stream().filter(Setting::secret).map(Setting::key))
                .containsExactlyInAnyOrderElementsOf(values("", "").keySet());
    }

    /** Returns the files in a directory that contain the canary, plain or encoded as in Basic. */
    static List<String> leakingFiles(Path root) throws IOException {
        var found = new ArrayList<String>();
        try (var files = Files.walk(root)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                if (PRIVATE.contains(String.valueOf(file.getFileName()))) {
                    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                            .as(file.toString())
                            .isEqualTo("rw-------");
                } else if (leaks(Files.readAllBytes(file))) {
                    found.add(root.relativize(file).toString());
                }
            }
        }
        return found;
    }

    private static boolean leaks(byte[] bytes) throws IOException {
        var basic = Base64.getEncoder().encodeToString(("ann:" + CANARY).getBytes(UTF_8));
        var text = new String(bytes, ISO_8859_1);
        var plain =
                bytes.length > 2 && bytes[0] == 0x1f && bytes[1] == (byte) 0x8b
                        ? new String(
                                new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes(),
                                ISO_8859_1)
                        : "";
        return text.contains(CANARY)
                || text.contains(basic)
                || plain.contains(CANARY)
                || plain.contains(basic);
    }

    @Test
    void whatOpensASiteIsInOneFileAndNeitherPrintedNorExported() throws Exception {
        var out = directory.resolve("crawl");
        try (var site = new SmallSite()) {
            var said =
                    CommandResult.run(
                            "crawl",
                            site.url(),
                            "--delay=0",
                            "--out=" + out,
                            "--credentials=" + credentials(site),
                            "--header=127.0.0.1 X-Api-Key: " + CANARY);
            assertThat(said.code()).as(said.err()).isZero();
            assertThat(said.out() + said.err()).doesNotContain(CANARY);
            assertThat(out.resolve(".secrets.yaml")).content().contains(CANARY);
            assertThat(leakingFiles(out)).isEmpty();
            for (var file : List.of("x.wacz", "x.warc.gz", "x.jsonl")) {
                var format = file.split("\\.", -1)[1];
                var to = directory.resolve(file).toString();
                var made =
                        CommandResult.run("export", out.toString(), "--format", format, "--to", to);
                assertThat(made.code()).as(made.err()).isZero();
                assertThat(leaks(Files.readAllBytes(Path.of(to)))).as(format).isFalse();
            }
            assertThat(CommandResult.run("resume", out.toString()).code()).isZero();
            assertThat(out.resolve(".secrets.yaml")).content().contains(CANARY);
        }
    }

    /** A password that the site accepts and {@link #leakingFiles} finds. */
    static String credentials(SmallSite site) {
        return site.url().replaceFirst("/$", "") + " basic ann:" + CANARY;
    }

    @Test
    void whatOpensAProxyOrADatabaseIsInNoMessageEither() throws Exception {
        var out = directory.resolve("crawl");
        var said =
                CommandResult.run(
                        "crawl",
                        "http://a.test/",
                        "--resolve=a.test=8.8.8.8",
                        "--max-retries=0",
                        "--max-idle-wait=0",
                        "--out=" + out,
                        "--proxy=" + value("proxy"),
                        "--mongodb=" + value("mongodb"));
        assertThat(said.code()).as(said.err()).isIn(3, 5);
        assertThat(said.out() + said.err()).doesNotContain(CANARY);
        assertThat(leakingFiles(out)).isEmpty();
        assertThat(out.resolve("crawl.log")).isNotEmptyFile();
        assertThat(CommandResult.run("status", out.toString()).out()).doesNotContain(CANARY);
        assertThat(CommandResult.run("inspect", out.toString(), "--json").out())
                .doesNotContain(CANARY);
        var other =
                CommandResult.run(
                        "crawl",
                        "http://a.test/",
                        "--resolve=a.test=8.8.8.8",
                        "--max-retries=0",
                        "--max-idle-wait=0",
                        "--out=" + out);
        assertThat(other.err()).contains("proxy, mongodb").doesNotContain(CANARY);
        assertThat(out.resolve(".secrets.yaml")).doesNotExist();
    }

    @Test
    void aReferenceToTheEnvironmentIsNoSecretAndGoesWithTheCrawl() throws Exception {
        var out = directory.resolve("crawl");
        var said =
                CommandResult.run(
                        "crawl",
                        "http://a.test/",
                        "--resolve=a.test=8.8.8.8",
                        "--proxy=http://ann:env:PATH@127.0.0.1:1",
                        "--credentials=http://a.test basic ann:env:PATH",
                        "--max-retries=0",
                        "--max-idle-wait=0",
                        "--out=" + out);
        assertThat(said.code()).as(said.err()).isIn(3, 5);
        assertThat(out.resolve(".secrets.yaml")).doesNotExist();
        assertThat(out.resolve("crawl.yaml"))
                .content()
                .contains("ann:env:PATH@", "basic ann:env:PATH");
    }

    @Test
    void aPasswordInASeedIsRefusedAndNotRepeated() throws Exception {
        for (var seed :
                List.of(
                        "http://ann:" + CANARY + "@a.test/",
                        "https:///ann:" + CANARY + "@a.test/",
                        "HTTP://" + CANARY + "@a.test",
                        "ann:" + CANARY + "@a.test/x")) {
            var said = CommandResult.run("crawl", seed, "--out=" + directory.resolve("none"));
            assertThat(said.code()).as(seed).isEqualTo(ExitCode.USAGE.code());
            assertThat(said.err())
                    .contains("a URL must not contain a user name or password")
                    .doesNotContain(CANARY);
        }
        assertThat(directory.resolve("none")).doesNotExist();
        assertThat(CommandResult.run("crawl", "http://a.test/@ann", "--max-pages=x").err())
                .as("a path may hold what it likes")
                .doesNotContain("password");
    }

    @Test
    void noCallShowsTheSecretsOfAJob() throws Exception {
        try (var site = new SmallSite();
                var crawlServer = ApiClient.serve(directory.resolve("data"));
                var apiClient = new ApiClient(crawlServer.port())) {
            var origin = site.url().substring(0, site.url().length() - 1);
            var sent =
                    apiClient.call(
                            "POST",
                            "/api/v1/jobs",
                            """
                            {"seeds":["%s"],
                             "settings":{"credentials":["%s basic ann:%s"],"header":["127.0.0.1 X-Key: %s"]},
                             "webhook":{"url":"%shook","secret":"%s-long-enough"}}
                            """
                                    .formatted(
                                            site.url(),
                                            origin,
                                            CANARY,
                                            CANARY,
                                            site.url(),
                                            CANARY));
            assertThat(sent.statusCode()).as(sent.body()).isEqualTo(202);
            assertThat(sent.body()).doesNotContain(CANARY);
            var _ = apiClient.awaitEnd(1);
            for (var path :
                    List.of(
                            "",
                            "?limit=5",
                            "/1",
                            "/1/history",
                            "/1/hosts",
                            "/1/pages",
                            "/1/errors")) {
                assertThat(apiClient.call("GET", "/api/v1/jobs" + path).body())
                        .as(path)
                        .doesNotContain(CANARY);
            }
            var seed =
                    apiClient.call(
                            "POST",
                            "/api/v1/jobs",
                            "{\"seeds\":[\"http://ann:%s@a.test/\"]}".formatted(CANARY));
            assertThat(seed.statusCode()).isEqualTo(400);
            assertThat(seed.body()).contains("credentials").doesNotContain(CANARY);
        }
        assertThat(leakingFiles(directory.resolve("data"))).isEmpty();
    }
}
