package dev.orbweaver.internal.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.ExclusionList;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.directory.DirectoryFrontier;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.CrashingDisk;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Findings;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.disk.CommittedLengthsFile;
import dev.orbweaver.internal.jobs.JobStore;
import dev.orbweaver.internal.sink.FleetPart;
import dev.orbweaver.internal.sink.MovedFiles;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.HostPattern;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Damages the files of small crawls, one byte at a time, and asks {@link Verification} for it.
 *
 * <p>Of each file every byte is cut off with all behind it, and bits of it are flipped. A case is
 * <em>refused</em> when the file's reader says so in a sentence, <em>reported</em> when
 * verification does, <em>identical</em> when the byte has no meaning, and <em>silent</em>
 * otherwise; an exception that is no sentence counts as silent too.
 */
public final class CrawlDamage implements AutoCloseable {

    private static final int SLOT = 32;
    private static final int HEAD = 16;

    private static final String SAME = "words that two pages share ".repeat(40);

    private static final Map<String, String> PAGES =
            Map.of(
                    "/", "<title>Start</title>start <a href=/a>1</a> <a href=/gone>2</a>",
                    "/a", "<title>Same</title>" + SAME + "<a href=/b?page=1>2</a>",
                    "/b", "<title>Same</title>" + SAME + "<a href=/c>3</a>",
                    "/c", "<title>Last</title>the last words",
                    "/robots.txt", "User-agent: *\nDisallow: /private\nCrawl-delay: 0\n");

    private final Path directory;
    private final HttpServer server;
    private final Map<String, Counts> counts = new TreeMap<>();
    private final List<String> silent = new ArrayList<>();

    /** The directories, with those files of each that are damaged. */
    private final Map<Path, List<Path>> crawls = new LinkedHashMap<>();

    /** The cases of one format by their outcome. */
    public static final class Counts {
        /** All cases. */
        public int cases;

        /** Cases in which the byte has no meaning. */
        public int identical;

        /** Cases that a reader refused. */
        public int refused;

        /** Cases that verification reported. */
        public int reported;

        /** Cases that were not noticed. */
        public int silent;
    }

    /** Crawls a small site several times into an empty directory. */
    public CrawlDamage(Path directory) throws Exception {
        this.directory = directory;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.createContext("/", CrawlDamage::respond);
        server.start();
        var gzip = crawl("gzip", CrawlListener.NONE);
        decorate(gzip);
        add(gzip, files(gzip).stream().filter(CrawlDamage::isFormat).toList());
        for (var compression : List.of("zstd", "none")) {
            var crawl = crawl(compression, CrawlListener.NONE);
            add(crawl, files(crawl.resolve("warc")));
        }
        interrupted();
        compacting(gzip);
        service(gzip);
    }

    private static void respond(com.sun.net.httpserver.HttpExchange exchange) throws IOException {
        var html = PAGES.getOrDefault(exchange.getRequestURI().getPath(), "");
        var body = html.getBytes(UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "text/html");
        exchange.sendResponseHeaders(
                html.isEmpty() ? 404 : 200, body.length == 0 ? -1 : body.length);
        try (var out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    private CrawlConfig config(String compression) throws Exception {
        return CrawlConfig.of(url("/"))
                .withSetting("delay", "0")
                .withSetting("warc-compression", compression)
                .withSetting("contact", "me@a.test");
    }

    private Path crawl(String compression, CrawlListener listener) throws Exception {
        var to = directory.resolve(compression);
        try (var crawl = CrawlOpener.open(config(compression), to, listener)) {
            var _ = crawl.run();
        }
        return to;
    }

    /** The small files that only some crawls have. */
    private void decorate(Path crawl) throws Exception {
        var disk = new RealDisk();
        var config = config("gzip");
        var forgotten = new CrawlUrls(config.normalisation()).parse(url("/c")).orElseThrow();
        var _ = new StoredCrawl(crawl, config).takeDown(forgotten);
        ExclusionList.change(
                crawl.resolve(DirectoryLayout.EXCLUDED_HOSTS),
                Set.of(HostPattern.of("a.example")),
                Set.of());
        MovedFiles.add(disk, crawl, "warc/orbweaver-20260101000000-00009.warc.gz", 7, "s3://b/c");
        new FleetPart("worker", 1, "fleet/1", "4f5c").save(crawl);
        AtomicFile.write(disk, crawl.resolve("sinks/job"), "57a3b2e0\n");
        AtomicFile.write(disk, crawl.resolve("sinks/s3.status"), "{\"name\":\"s3\",\"done\":1}\n");
        AtomicFile.write(
                disk, crawl.resolve(DirectoryLayout.PROGRESS), "{\"seconds\":1,\"inFlight\":2}\n");
    }

    private static boolean isFormat(Path file) {
        var name = file.getFileName().toString();
        return !name.endsWith(".lock") && !name.startsWith("crawl.log");
    }

    /** A copy made while the crawl runs, as a kill would leave it. */
    private void interrupted() throws Exception {
        var to = directory.resolve("interrupted");
        var from = directory.resolve("running");
        var listener =
                new CrawlListener() {
                    private boolean done;

                    @Override
                    public void captured(Capture capture) {
                        if (!done && capture.url().text().endsWith("/b?page=1")) {
                            done = true;
                            copy(from, to);
                        }
                    }
                };
        try (var crawl = CrawlOpener.open(config("gzip"), from, listener)) {
            var _ = crawl.run();
        }
        add(to, List.of(to.resolve("batch.start")));
        add(to, files(to.resolve("frontier")));
    }

    /** A compaction that has a plan and died before it was carried out. */
    private void compacting(Path crawl) throws Exception {
        var to = directory.resolve("compacting");
        for (var changes = 1; ; changes++) {
            delete(to);
            copy(crawl, to);
            Files.delete(to.resolve(DirectoryLayout.MOVED_FILES));
            try {
                var disk = new CrashingDisk(new RealDisk(), changes);
                var _ = new StoredCrawl(to, config("gzip")).compact(disk);
                throw new AssertionError("the compaction was over before it had a plan");
            } catch (IOException | UncheckedIOException died) {
                if (Files.exists(to.resolve("compaction.tsv"))
                        && Files.exists(to.resolve("pages.log.compacted"))) {
                    break;
                }
            }
        }
        add(to, List.of(to.resolve("compaction.tsv"), to.resolve("pages.log.compacted")));
    }

    /** A directory with a fleet's job, whose marks have a file of their own. */
    private void service(Path crawl) throws Exception {
        var to = directory.resolve("service");
        var job = to.resolve("jobs/1");
        copy(crawl, job);
        delete(job.resolve("frontier"));
        var disk = new RealDisk();
        var all = new DirectoryFrontier(crawl, config("gzip")).committedLengths().orElseThrow();
        try (var marks = CommittedLengthsFile.open(disk, job, false)) {
            for (var mark : all) {
                marks.write(List.of(mark));
            }
        }
        AtomicFile.write(disk, job.resolve(DirectoryLayout.JOB), "{\n  \"id\" : 1\n}\n");
        var _ = new JobStore(disk, to).nextId();
        var schedules = to.resolve(DirectoryLayout.SCHEDULES);
        Files.createDirectories(schedules);
        AtomicFile.write(disk, schedules.resolve("1.json"), "{\n  \"id\" : 1\n}\n");
        AtomicFile.write(disk, to.resolve(DirectoryLayout.NEXT_SCHEDULE), "2\n");
        AtomicFile.write(disk, to.resolve(DirectoryLayout.FLEET), "fleet\n");
        AtomicFile.write(disk, to.resolve(DirectoryLayout.WORKER), "worker\n");
        add(
                to,
                List.of(
                        job.resolve(DirectoryLayout.JOB),
                        job.resolve(CommittedLengthsFile.FILE),
                        to.resolve(DirectoryLayout.NEXT_JOB),
                        schedules.resolve("1.json"),
                        to.resolve(DirectoryLayout.NEXT_SCHEDULE),
                        to.resolve(DirectoryLayout.FLEET),
                        to.resolve(DirectoryLayout.WORKER)));
    }

    private void add(Path crawl, List<Path> files) {
        crawls.computeIfAbsent(crawl, _ -> new ArrayList<>()).addAll(files);
    }

    private static List<Path> files(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> !file.toString().contains("/tmp/spill"))
                    .sorted()
                    .toList();
        }
    }

    private static void copy(Path from, Path to) {
        try (Stream<Path> files = Files.walk(from)) {
            for (var file : files.toList()) {
                var target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (var files = Files.walk(directory)) {
                for (var file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    /** Requires that nothing is reported of the crawls as they are. */
    public void requireSound() throws IOException {
        for (var crawl : crawls.keySet()) {
            var recordedFindings = verify(crawl);
            if (!recordedFindings.damages.isEmpty() || !recordedFindings.notes.isEmpty()) {
                throw new AssertionError(
                        crawl + ": " + recordedFindings.damages + recordedFindings.notes);
            }
        }
    }

    /** Damages every so many bytes of every file. */
    public void everywhere(int step, int bitsPerByte) throws IOException {
        for (var crawl : crawls.entrySet()) {
            for (var file : crawl.getValue()) {
                damage(crawl.getKey(), file, step, bitsPerByte);
            }
        }
    }

    private void damage(Path crawl, Path file, int step, int bitsPerByte) throws IOException {
        var bytes = Files.readAllBytes(file);
        var kind = kind(file);
        var count = counts.computeIfAbsent(kind, _ -> new Counts());
        for (var at = 0; at < bytes.length; at += stepAt(kind, bytes, at, step)) {
            judge(crawl, file, Arrays.copyOf(bytes, at), bytes, at + " cut", count);
            for (var n = 0; n < bitsPerByte; n++) {
                var bit = (at + n * Byte.SIZE / bitsPerByte) % Byte.SIZE;
                var flipped = bytes.clone();
                flipped[at] ^= (byte) (1 << bit);
                judge(crawl, file, flipped, bytes, at + " bit " + bit, count);
            }
        }
        Files.write(file, bytes);
    }

    /** Nearly all of an index of digests is empty; there a sample is enough. */
    private static int stepAt(String kind, byte[] bytes, int at, int step) {
        if (!kind.equals("digests.index") || at < HEAD) {
            return step;
        }
        var slot = HEAD + (at - HEAD) / SLOT * SLOT;
        var empty = Arrays.mismatch(bytes, slot, slot + SLOT, new byte[SLOT], 0, SLOT) < 0;
        return empty ? step * 97 : step;
    }

    private void judge(
            Path crawl, Path file, byte[] damaged, byte[] whole, String where, Counts count)
            throws IOException {
        Files.write(file, damaged);
        count.cases++;
        String problem;
        try {
            var recordedFindings = verify(crawl);
            if (refuses(file)) {
                count.refused++;
                return;
            }
            if (!recordedFindings.damages.isEmpty() || !recordedFindings.notes.isEmpty()) {
                count.reported++;
                return;
            }
            if (meaning(crawl, file, damaged).equals(meaning(crawl, file, whole))) {
                count.identical++;
                return;
            }
            problem = "not noticed";
        } catch (RuntimeException | StackOverflowError e) {
            problem = e.toString();
        }
        count.silent++;
        if (silent.size() < 20) {
            silent.add("%s at byte %s: %s".formatted(directory.relativize(file), where, problem));
        }
    }

    /** Whether the reader of a small text says that it is damaged. */
    private static boolean refuses(Path file) {
        var name = file.getFileName().toString();
        if (!name.endsWith(".tsv") && !name.endsWith(".json") && !name.endsWith(".status")) {
            return false;
        }
        try {
            var _ = AtomicFile.read(new RealDisk(), file);
            return false;
        } catch (IOException sentence) {
            return sentence.getMessage() != null;
        }
    }

    /** What a file says: all of it, but for formats with room for nothing. */
    private String meaning(Path crawl, Path file, byte[] bytes) throws IOException {
        return switch (kind(file)) {
            // A journal may end at an earlier call, if nothing of value was in those behind it.
            case "journal" -> ends(crawl, file, bytes);
            // A cache: a host whose robots.txt is forgotten is asked for it again.
            case "robots.log" -> "";
            case "digests.index" -> slots(bytes);
            // What it says decides only whether uncommitted bytes are cut or kept.
            case "batch.start" -> "";
            default -> Arrays.toString(bytes);
        };
    }

    /** Where the URLs of a frontier are, but for leases. */
    private static String ends(Path crawl, Path file, byte[] bytes) throws IOException {
        Files.write(file, bytes);
        var config = Verification.config(crawl, Settings.CORE);
        var ledger = new StoredCrawl(crawl, config).stats().ledger();
        return new DirectoryFrontier(crawl, config).committedLengths()
                + " %d %d %d %d"
                        .formatted(
                                ledger.accepted(),
                                ledger.done(),
                                ledger.dead(),
                                ledger.withdrawn());
    }

    private static String slots(byte[] bytes) {
        if (bytes.length % SLOT != HEAD) {
            return "another form";
        }
        var text = new StringBuilder(Arrays.toString(Arrays.copyOf(bytes, HEAD)));
        for (var at = HEAD; at < bytes.length; at += SLOT) {
            if (Arrays.mismatch(bytes, at, at + Long.BYTES, new byte[SLOT], 0, Long.BYTES) >= 0) {
                text.append(Arrays.toString(Arrays.copyOfRange(bytes, at, at + SLOT)));
            }
        }
        return text.toString();
    }

    static String kind(Path file) {
        return file.getFileName()
                .toString()
                .replaceFirst("\\.open$", "")
                .replaceFirst("orbweaver-\\d+-\\d+", "")
                .replaceFirst("-\\d+", "");
    }

    private static final class RecordedFindings implements Findings {

        private final List<String> damages = new ArrayList<>();
        private final List<String> notes = new ArrayList<>();

        @Override
        public void damage(Path file, long offset, String what) {
            damages.add(file.getFileName() + ": " + what);
        }

        @Override
        public void note(Path file, String what) {
            notes.add(file.getFileName() + ": " + what);
        }

        @Override
        public void checked(long bytes) {}
    }

    private static RecordedFindings verify(Path crawl) throws IOException {
        var recordedFindings = new RecordedFindings();
        Verification.run(crawl, Settings.CORE, recordedFindings);
        return recordedFindings;
    }

    /** The cases by format. */
    public Map<String, Counts> counts() {
        return counts;
    }

    /** The first cases that were not noticed. */
    public List<String> silent() {
        return silent;
    }

    /** The counts as lines of a table. */
    public String table() {
        var table = new StringBuilder();
        table.append("| format | cases | identical | refused | reported | silent |\n");
        table.append("|---|---|---|---|---|---|\n");
        counts.forEach(
                (kind, count) ->
                        table.append(
                                "| %s | %d | %d | %d | %d | %d |\n"
                                        .formatted(
                                                kind,
                                                count.cases,
                                                count.identical,
                                                count.refused,
                                                count.reported,
                                                count.silent)));
        return table.toString();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
