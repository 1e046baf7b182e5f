package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.sinks.mongo.MongoTestServer;
import dev.orbweaver.sinks.s3.S3Server;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

@Slow
class SinkCommandTest {

    @TempDir Path directory;

    @Test
    void aServerThatIsGoneDelaysAndSinkCatchesUp() throws Exception {
        var out = directory.resolve("crawl");
        try (var site = new SmallSite();
                var mongo = MongoTestServer.start()) {
            var gone =
                    "mongodb://user:secret@127.0.0.1:%d/x?serverSelectionTimeoutMS=100"
                            .formatted(deadPort());
            var crawled = crawl(site, out, "--mongodb", gone);
            assertThat(crawled.code()).isZero();
            assertThat(crawled.err())
                    .contains(
                            "warning: mongodb: 0 lines of 4 lines",
                            "to catch up: orbweaver sink " + out)
                    .doesNotContain("secret");
            assertThat(CommandResult.run("status", out.toString()).out())
                    .containsPattern("(?m)^mongodb   .*to catch up: orbweaver sink ")
                    .doesNotContain("secret");
            assertThat(Files.readString(out.resolve("crawl.log"))).doesNotContain("secret");
            assertThat(Files.readString(out.resolve("summary.json"))).doesNotContain("secret");

            var other = crawl(site, out, "--mongodb", gone.replace("secret", "geheim"));
            assertThat(other.out() + other.err()).doesNotContain("secret").doesNotContain("geheim");
            var again = CommandResult.run("sink", out.toString());
            assertThat(again.code()).isEqualTo(ExitCode.OUTPUT.code());
            assertThat(again.err()).contains("to catch up").doesNotContain("geheim");

            var caughtUp = CommandResult.run("sink", out.toString(), "--mongodb", mongo.uri());
            assertThat(caughtUp.err()).isEmpty();
            assertThat(caughtUp.out()).isEqualTo("mongodb: all 4 lines\n");
            assertThat(caughtUp.code()).isZero();
            assertThat(mongo.visits()).hasSize(4);
            assertThat(Files.readString(out.resolve("crawl.log")))
                    .as("the driver's own news")
                    .doesNotContain(" INFO cluster", " INFO client", "MongoClient with metadata");
            assertThat(CommandResult.run("status", out.toString()).out())
                    .containsPattern("(?m)^mongodb   all 4 lines$");
        }
    }

    @Test
    void backupsInABucketAreListedRotatedAndRestored() throws Exception {
        var out = directory.resolve("crawl").toString();
        var back = directory.resolve("back").toString();
        Files.createDirectories(directory.resolve("s3"));
        try (var site = new SmallSite();
                var server = S3Server.start(directory.resolve("s3"))) {
            assertThat(crawl(site, directory.resolve("crawl"), "--max-pages", "1").code()).isZero();
            var place = new String[] {"s3://bucket/b", "--s3-endpoint", server.endpoint()};
            assertThat(run("backup", out, place).err()).isEmpty();
            assertThat(run("resume", out, "--set", "max-pages=none").code()).isZero();
            var second = run("backup", out, place);
            assertThat(second.err()).isEmpty();
            assertThat(second.out()).contains(" files, ");
            assertThat(CommandResult.run("backup", "--list", place[0], place[1], place[2]).out())
                    .containsPattern("(?s)^backup +made at.*\n\\d{8}-\\d{6} .*\n\\d{8}-\\d{6} ");
            var kept = run("backup", out, place[0], place[1], place[2], "--keep", "1");
            assertThat(kept.out()).contains("older backups deleted: 2");
            assertThat(run("restore", place[0], back, place[1], place[2]).err()).isEmpty();
            assertThat(CommandResult.run("verify", back).out()).startsWith("no damage found");
            assertThat(Files.mismatch(Path.of(out, "pages.log"), Path.of(back, "pages.log")))
                    .isEqualTo(-1);
        }
    }

    private static CommandResult run(String command, String first, String... more) {
        var arguments = new ArrayList<>(List.of(command, first));
        arguments.addAll(List.of(more));
        return CommandResult.run(arguments.toArray(String[]::new));
    }

    @Test
    void aCrawlGoesToABucketAndComesBack() throws Exception {
        var out = directory.resolve("crawl");
        var back = directory.resolve("back");
        Files.createDirectories(directory.resolve("s3"));
        try (var site = new SmallSite();
                var server = S3Server.start(directory.resolve("s3"))) {
            var crawled =
                    crawl(
                            site,
                            out,
                            "--s3",
                            "s3://bucket/site",
                            "--s3-endpoint",
                            server.endpoint(),
                            "--credentials",
                            SecretsTest.credentials(site));
            assertThat(crawled.err()).doesNotContain("to catch up");
            assertThat(crawled.out()).containsPattern("(?m)^s3: all ");
            var restored =
                    CommandResult.run(
                            "restore",
                            "s3://bucket/site",
                            back.toString(),
                            "--s3-endpoint",
                            server.endpoint());
            assertThat(restored.code()).as(restored.err()).isZero();
            assertThat(restored.out()).contains("to continue: orbweaver resume " + back);
            assertThat(back.resolve("pages.log")).hasSameBinaryContentAs(out.resolve("pages.log"));
            assertThat(SecretsTest.leakingFiles(directory.resolve("s3"))).isEmpty();
            assertThat(SecretsTest.leakingFiles(back)).isEmpty();
            assertThat(back.resolve(".secrets.yaml")).doesNotExist();
            assertThat(CommandResult.run("status", back.toString()).code()).isZero();
            var refused = CommandResult.run("resume", back.toString(), "--set", "s3=");
            assertThat(refused.code()).isEqualTo(ExitCode.USAGE.code());
            assertThat(refused.err()).contains("repeat it with --set credentials=");
            var resumed =
                    CommandResult.run(
                            "resume",
                            back.toString(),
                            "--set",
                            "s3=",
                            "--json",
                            "--set",
                            "credentials=" + SecretsTest.credentials(site));
            assertThat(resumed.code()).as(resumed.err()).isZero();
            assertThat(resumed.out()).contains("\"pages\" : 3");
        }
    }

    @Test
    void aCrawlWithFilesOnlyInTheBucketResumesAndReportsMissingFiles() throws Exception {
        var out = directory.resolve("crawl");
        var back = directory.resolve("back");
        Files.createDirectories(directory.resolve("s3"));
        try (var site = new SmallSite();
                var server = S3Server.start(directory.resolve("s3"))) {
            var crawled =
                    crawl(
                            site,
                            out,
                            "--s3",
                            "s3://bucket/moved",
                            "--s3-endpoint",
                            server.endpoint(),
                            "--s3-delete-local");
            assertThat(crawled.code()).as(crawled.err()).isZero();
            assertThat(out.resolve("warc")).isEmptyDirectory();
            var where =
                    "is only in s3://bucket/moved: the command 'orbweaver restore"
                            + " s3://bucket/moved'";

            var lines = directory.resolve("lines.jsonl").toString();
            var text = directory.resolve("text").toString();
            assertThat(export(out, "jsonl", lines).code()).as("goes by the page log").isZero();
            var failed = export(out, "markdown", text);
            assertThat(failed.code()).isEqualTo(ExitCode.OUTPUT.code());
            assertThat(failed.err()).contains(where);
            assertThat(CommandResult.run("why", out.toString(), site.url()).code()).isZero();
            assertThat(CommandResult.run("why", out.toString(), site.url() + "unheard-of").err())
                    .contains(where);

            var resumed = CommandResult.run("resume", out.toString(), "--json");
            assertThat(resumed.code()).as(resumed.err()).isZero();
            assertThat(resumed.out()).contains("\"pages\" : 3");

            assertThat(CommandResult.run("forget", out.toString(), site.url()).code()).isZero();
            var compacted = CommandResult.run("compact", out.toString());
            assertThat(compacted.code()).isNotZero();
            assertThat(compacted.err()).contains(where);

            var restored =
                    CommandResult.run(
                            "restore",
                            "s3://bucket/moved",
                            back.toString(),
                            "--s3-endpoint",
                            server.endpoint());
            assertThat(restored.code()).as(restored.err()).isZero();
            assertThat(export(back, "markdown", text).code()).isZero();
            assertThat(back.resolve("moved.tsv")).doesNotExist();
        }
    }

    private static CommandResult export(Path crawl, String format, String to) {
        return CommandResult.run("export", crawl.toString(), "--format", format, "--to", to);
    }

    @Test
    void usageErrorsAreReported() throws IOException {
        var out = directory.resolve("crawl");
        try (var site = new SmallSite()) {
            assertThat(crawl(site, out).code()).isZero();
        }
        assertThat(CommandResult.run("sink", out.toString()).err())
                .contains("has no sink; add one");
        assertThat(CommandResult.run("sink", out.toString(), "--s3", "bucket").err())
                .contains("'bucket' is not s3://BUCKET/PREFIX");
        assertThat(CommandResult.run("sink", out.toString(), "--mongodb", "http://u:pw@x/").err())
                .contains("mongodb: expected a URI such as")
                .doesNotContain("pw");
        assertThat(CommandResult.run("sink", out.toString(), "--mongodb", "env:NO_SUCH_NAME").err())
                .contains("environment variable NO_SUCH_NAME is not set");
        assertThat(CommandResult.run("sink", out.toString(), "--set", "mongodb-batch=7").err())
                .contains("mongodb-batch: expected a number from 50 to 500");
        assertThat(CommandResult.run("restore", "nowhere", "x").err())
                .contains("there is no backup in 'nowhere'");
        for (var bucket : List.of("s3://ab/x", "s3://Big/x", "s3://a..b", "s3://-ab", "s3://")) {
            assertThat(CommandResult.run("restore", bucket, "x").err())
                    .contains(
                            "'" + bucket + "' has an invalid bucket name: use 3 to 63 lower-case");
            assertThat(CommandResult.run("sink", out.toString(), "--s3", bucket).err())
                    .contains("has an invalid bucket name");
        }
    }

    private static CommandResult crawl(SmallSite site, Path out, String... more) {
        var words = new ArrayList<>(List.of("crawl", site.url(), "--delay", "0"));
        words.addAll(List.of("--contact", "test@example.org", "--out", out.toString()));
        words.addAll(List.of(more));
        return CommandResult.run(words.toArray(String[]::new));
    }

    private static int deadPort() throws IOException {
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }
}
