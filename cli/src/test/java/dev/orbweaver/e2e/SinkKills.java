package dev.orbweaver.e2e;

import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.sinks.FaultProxy;
import dev.orbweaver.sinks.backup.Restore;
import dev.orbweaver.sinks.mongo.MongoTestServer;
import dev.orbweaver.sinks.s3.S3Server;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A crawl with every sink on, killed with SIGKILL again and again, its way to MongoDB cut now and
 * then at any byte; then WARC files, page log, MongoDB and what S3 gives back compared.
 */
public final class SinkKills {

    private static final int HOSTS = 40;
    private static final int MINUTES_MAX = 10;

    private final Path directory;
    private final int kills;
    private final int pages;
    private final Random random;
    private final long seed;

    /**
     * @param directory an empty one, for everything
     * @param kills at most; there are fewer when the crawl comes to its end before
     * @param pages so many the web has at least; a life is as long as the kills have room in it
     */
    public SinkKills(Path directory, int kills, int pages, long seed) {
        this.directory = directory;
        this.kills = kills;
        this.pages = pages;
        this.seed = seed;
        this.random = new Random(seed);
    }

    /** Runs it and returns what came of it; {@code wrong} must be empty. */
    public Map<String, Object> run() throws Exception {
        var crawl = directory.resolve("crawl");
        var spec =
                new WebSpec(
                        seed & 0xFFFF, HOSTS, pages, 1_000, 0.3, 100, EnumSet.allOf(Quirk.class));
        Files.createDirectories(crawl);
        Files.createDirectories(directory.resolve("s3"));
        try (var web = LoopbackWeb.serve(spec);
                var mongo = MongoTestServer.start();
                var faultProxy = new FaultProxy(mongo.address());
                var s3 = S3Server.start(directory.resolve("s3"))) {
            var sinks =
                    List.of(
                            "--mongodb",
                            mongo.uri(faultProxy.port()),
                            "--s3",
                            "s3://bucket/kills",
                            "--s3-endpoint",
                            s3.endpoint());
            var killed = killAll(web, crawl, sinks, faultProxy);
            runUntilCheckpoint(web, crawl, sinks);
            var restored = directory.resolve("restored");
            restore(s3, restored);
            faultProxy.cutAfter(Long.MAX_VALUE);
            var wrong = new ArrayList<String>();
            finish(crawl, List.of(), wrong);
            finish(restored, List.of("--set", "mongodb=", "--set", "s3="), wrong);
            wrong.addAll(differences(web, crawl));
            wrong.addAll(differences(web, restored));
            wrong.addAll(compare(ArchiveReader.open(crawl).entries(), mongo));
            var last = directory.resolve("last");
            restore(s3, last);
            wrong.addAll(sameFiles(crawl, last));
            var figures = new LinkedHashMap<String, Object>();
            figures.put("kills", killed);
            figures.put("pages", ArchiveReader.open(crawl).pages().size());
            figures.put("lines", ArchiveReader.open(crawl).entries().size());
            figures.put("mongodb", mongo.kind());
            figures.put("wrong", wrong);
            figures.put("seed", seed);
            return figures;
        }
    }

    private static void restore(S3Server s3, Path directory) throws IOException {
        try (var bucket = s3.location("kills").open(new AtomicLong())) {
            var _ = Restore.run(bucket, "", directory);
        }
    }

    private int killAll(LoopbackWeb web, Path crawl, List<String> sinks, FaultProxy faultProxy)
            throws Exception {
        var killed = 0;
        while (killed < kills) {
            var process = start(crawl, crawl(web, crawl, sinks));
            var life = 2 + random.nextInt(Math.max(10, pages / kills));
            var deadly = web.auditor().requests() + life;
            if (random.nextInt(3) == 0) {
                faultProxy.cutAfter(random.nextInt(200_000));
            }
            while (web.auditor().requests() < deadly) {
                if (process.waitFor(1, TimeUnit.MILLISECONDS)) {
                    return killed; // It came to its end before.
                }
            }
            Thread.sleep(random.nextInt(40), random.nextInt(900_000));
            process.destroyForcibly().waitFor();
            faultProxy.cutAfter(Long.MAX_VALUE);
            killed++;
        }
        return killed;
    }

    /** Lives that were all too short to make a state in the bucket are followed by a longer one. */
    private void runUntilCheckpoint(LoopbackWeb web, Path crawl, List<String> sinks)
            throws Exception {
        var state = directory.resolve("s3/objects/bucket/kills/checkpoint.json");
        if (!Files.exists(state)) {
            var process = start(crawl, crawl(web, crawl, sinks));
            while (!Files.exists(state) && !process.waitFor(5, TimeUnit.MILLISECONDS)) {}
            process.destroyForcibly().waitFor();
        }
    }

    private void finish(Path crawl, List<String> more, List<String> wrong) throws Exception {
        var command = new ArrayList<>(List.of("resume", crawl.toString(), "--quiet"));
        command.addAll(more);
        var process = start(crawl, command);
        if (!process.waitFor(MINUTES_MAX, TimeUnit.MINUTES)) {
            process.destroyForcibly().waitFor();
            wrong.add(crawl.getFileName() + " does not come to an end");
        } else if (process.exitValue() != 0 && process.exitValue() != 5) {
            wrong.add(crawl.getFileName() + ": exit " + process.exitValue() + " " + output(crawl));
        } else if (output(crawl).contains("to catch up")) {
            wrong.add(crawl.getFileName() + ": " + output(crawl));
        }
    }

    private static List<String> crawl(LoopbackWeb web, Path crawl, List<String> sinks) {
        var command = new ArrayList<String>();
        command.addAll(List.of("crawl", web.hub(), "--out", crawl.toString(), "--scope", "any"));
        command.addAll(List.of("--dns-server", web.nameServer(), "--allow-private", "--quiet"));
        command.addAll(List.of("--delay", "5ms", "--delay-ip", "0", "--s3-interval", "300ms"));
        command.addAll(
                List.of(
                        "--retry-delay",
                        "100ms",
                        "--error-backoff",
                        "10ms",
                        "--max-idle-wait",
                        "3s"));
        command.addAll(List.of("--max-warc-size", "300KB", "--mongodb-flush", "100ms"));
        command.addAll(sinks);
        return command;
    }

    private static Process start(Path crawl, List<String> arguments) throws IOException {
        var command = ProgramJvm.program("-Xmx256m");
        command.addAll(arguments);
        var builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(
                                crawl.resolveSibling(crawl.getFileName() + ".out").toFile());
        builder.environment().putAll(S3Server.CREDENTIALS);
        return builder.start();
    }

    private static String output(Path crawl) throws IOException {
        return Files.readString(
                crawl.resolveSibling(crawl.getFileName() + ".out"), StandardCharsets.UTF_8);
    }

    /** Pages against the truth, page log against WARC files, every file by a reader not ours. */
    private static List<String> differences(LoopbackWeb web, Path crawl) throws Exception {
        var wrong = new ArrayList<String>();
        var archiveReader = ArchiveReader.open(crawl);
        archiveReader.differences(web.truth().pages()).forEach(page -> wrong.add("page: " + page));
        archiveReader
                .recordedTwice()
                .forEach((url, count) -> wrong.add(url + " " + count + " times"));
        var stored = new ArrayList<String>();
        archiveReader.entries().stream()
                .filter(PageLogEntry::isStored)
                .forEach(entry -> stored.add(entry.url()));
        var records = new ArrayList<>(archiveReader.checkedResponses());
        stored.sort(null);
        records.sort(null);
        if (!stored.equals(records)) {
            wrong.add(
                    "%d captures in the log, %d in WARC".formatted(stored.size(), records.size()));
        }
        var complaints = archiveReader.validatorProblems();
        if (!complaints.isEmpty()) {
            wrong.add(complaints);
        }
        return wrong;
    }

    /** A document for every line, and no other. */
    private static List<String> compare(List<PageLogEntry> entries, MongoTestServer mongo) {
        var expected = new TreeMap<String, Long>();
        entries.forEach(entry -> expected.merge(entry.url(), 1L, Long::sum));
        var there = mongo.visits();
        var wrong = new ArrayList<String>();
        var urls = new TreeSet<>(expected.keySet());
        urls.addAll(there.keySet());
        for (var url : urls) {
            var lines = expected.getOrDefault(url, 0L);
            var documents = there.getOrDefault(url, 0L);
            if (!lines.equals(documents)) {
                wrong.add(url + ": " + lines + " lines, " + documents + " documents");
            }
        }
        return wrong;
    }

    private static List<String> sameFiles(Path crawl, Path restored) throws IOException {
        var wrong = new ArrayList<String>();
        var files = new ArrayList<>(List.of(Path.of("pages.log"), Path.of("summary.json")));
        try (var warcs = Files.list(crawl.resolve("warc"))) {
            warcs.forEach(warc -> files.add(crawl.relativize(warc)));
        }
        for (var file : files) {
            var back = restored.resolve(file);
            if (!Files.exists(back) || Files.mismatch(crawl.resolve(file), back) >= 0) {
                wrong.add(file + " came back otherwise from S3");
            }
        }
        return wrong;
    }
}
