package dev.orbweaver.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.cli.Main;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.directory.DirectoryFrontier;
import dev.orbweaver.internal.directory.FrontierLocation;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.SeedPosition;
import dev.orbweaver.internal.frontier.disk.DiskFrontier;
import dev.orbweaver.internal.frontier.disk.DiskSettings;
import dev.orbweaver.internal.scope.RuleScope;
import dev.orbweaver.internal.seeds.SeedBatches;
import dev.orbweaver.internal.seeds.SeedIntake;
import dev.orbweaver.internal.seeds.SeedList;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Measures how a seed list of millions of lines gets into a frontier, in a small heap.
 *
 * <p>The CPU time is that of a process which does nothing else: it runs the seed reader of a crawl
 * on a frontier, without fetching. The kills are those of the program: {@code crawl --seeds}, then
 * {@code resume} after each of them. No host of the list has an address there, so nothing is
 * fetched either, but all else of a crawl runs.
 */
final class SeedsBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "seeds",
                    "intake of a seed list with 5 % malformed lines into the disk frontier with"
                            + " -Xmx512m: lines per CPU-second of the seed reader alone (from"
                            + " 10,000,000 lines on, at least 200,000); then 'crawl' and 'resume'"
                            + " with kills over the whole list"
                            + " [--lines 10000000] [--hosts 100000] [--kills 3] [--seed N]",
                    options -> new SeedsBenchmark().run(options));

    /** The goal; with fewer lines the start of the program weighs too much. */
    private static final double LINES_PER_CPU_SECOND_MIN = 200_000;

    private static final int LINES_OF_GOAL = 10_000_000;

    private static final JobId JOB = new JobId(0);
    private static final int MALFORMED_EVERY = 20;
    private static final Politeness POLITENESS =
            new Politeness(Duration.ZERO, Duration.ZERO, Duration.ZERO, 1, Duration.ofMinutes(10));

    private Map<String, Object> run(Options options) throws Exception {
        var lines = options.number("lines", LINES_OF_GOAL);
        var kills = options.number("kills", 3);
        var seed = options.number("seed", (int) (System.nanoTime() & 0xFFFF));
        var directory = Files.createTempDirectory("orbweaver-bench");
        try (var dns = new NoNames()) {
            var list = writeList(directory, lines, options.number("hosts", 100_000));
            var whole = crawlDirectory(directory.resolve("whole"), list);
            var figures = new LinkedHashMap<String, Object>(Child.start(whole).figures());
            var rate = 1000.0 * lines / ((Number) figures.get("cpuMillis")).doubleValue();
            figures.put("linesPerCpuSecond", rate);
            CrawlProcess.delete(whole);
            var crawl = new KilledCrawl(directory.resolve("killed"), list, dns.address());
            var random = new Random(seed);
            var resumedAt = new ArrayList<Long>();
            var resumedWell = true;
            for (var i = 0; i < kills; i++) {
                var line = (long) (lines * ((i + 0.1 + 0.8 * random.nextDouble()) / kills));
                crawl.killAt(line);
                resumedAt.add(crawl.stored().lines());
                // The lines of one batch may be rejected, but not stored.
                resumedWell &= resumedAt.getLast() >= line - SeedBatches.LINES_MAX;
            }
            crawl.stopAfter(lines);
            var stored = crawl.stored();
            var ledger = stored.ledger();
            var malformed = lines / MALFORMED_EVERY;
            figures.put("kills", kills);
            figures.put("seed", seed);
            figures.put("resumedAtLines", resumedAt);
            figures.put("acceptedByCrawl", ledger.accepted());
            figures.put("refusedByCrawl", ledger.refused());
            figures.put("rejectedLines", crawl.countRejected());
            figures.put(
                    Benchmark.HELD,
                    (rate >= LINES_PER_CPU_SECOND_MIN || lines < LINES_OF_GOAL)
                            && figures.get("accepted").equals((long) lines - malformed)
                            && figures.get("refused").equals((long) malformed)
                            && figures.get("duplicate").equals(0L)
                            && resumedWell
                            && stored.lines() == lines
                            && ledger.accepted() == lines - malformed + 1 // The argument.
                            && ledger.refused() == malformed
                            && ledger.duplicate() == 0
                            && figures.get("rejectedLines").equals((long) malformed));
            return figures;
        } finally {
            CrawlProcess.delete(directory);
        }
    }

    private static Path writeList(Path directory, int lines, int hosts) throws IOException {
        var list = directory.resolve("urls.txt");
        try (var out = Files.newBufferedWriter(list)) {
            for (var i = 0; i < lines; i++) {
                out.write(
                        i % MALFORMED_EVERY == MALFORMED_EVERY - 1
                                ? "htp:/www.site-" + i + ".example/malformed\n"
                                : "https://www.site-%d.example/section/%d/page-%d.html\n"
                                        .formatted(i * 7919L % hosts, i % 97, i));
            }
        }
        return list;
    }

    private static Path crawlDirectory(Path directory, Path list) throws IOException {
        Files.createDirectories(directory);
        if (!SeedList.addReference(directory, list)) {
            throw new IllegalStateException(directory + " has the list already");
        }
        return directory;
    }

    /** A name server that knows no name. */
    private static final class NoNames implements AutoCloseable {

        private static final int MESSAGE_MAX = 512;

        private final DatagramSocket socket =
                new DatagramSocket(0, InetAddress.getLoopbackAddress());

        private NoNames() throws IOException {
            Thread.ofVirtual().start(this::serve);
        }

        private String address() {
            return socket.getLocalAddress().getHostAddress() + ":" + socket.getLocalPort();
        }

        private void serve() {
            var packet = new DatagramPacket(new byte[MESSAGE_MAX], MESSAGE_MAX);
            while (!socket.isClosed()) {
                try {
                    packet.setLength(MESSAGE_MAX);
                    socket.receive(packet);
                    packet.getData()[2] |= (byte) 0x80; // A response (RFC 1035, 4.1.1),
                    packet.getData()[3] = 3; // with the code "name error".
                    socket.send(packet);
                } catch (IOException e) {
                    if (!socket.isClosed()) {
                        System.err.println("bench: name server: " + e.getMessage());
                    }
                }
            }
        }

        @Override
        public void close() {
            socket.close();
        }
    }

    /** The program, which reads the list and is killed. */
    private record KilledCrawl(Path directory, Path list, String dns) {

        private static final int LAST_LINES = 4096;

        private void killAt(long line) throws IOException, InterruptedException {
            var process = start();
            awaitLine(process, line);
            process.destroyForcibly().waitFor();
            System.err.println("bench: killed at line %,d".formatted(line));
        }

        /** Stops the program as Ctrl+C does, after it has read this number of lines. */
        private void stopAfter(long lines) throws IOException, InterruptedException {
            var process = start();
            var message = " read %d lines of ".formatted(lines);
            do {
                requireAlive(process, 100, lines);
            } while (!isLogged(message));
            process.destroy();
            process.waitFor();
        }

        private boolean isLogged(String message) throws IOException {
            var log = directory.resolve(DirectoryLayout.LOG);
            if (!Files.exists(log)) {
                return false;
            }
            try (var all = Files.lines(log)) {
                return all.anyMatch(each -> each.contains(message));
            }
        }

        private Process start() throws IOException {
            var command = WebProcess.java("-Xmx512m", Main.class.getName());
            if (StoredCrawl.isCrawl(directory)) {
                command.addAll(List.of("resume", directory.toString(), "--quiet"));
            } else {
                command.addAll(List.of("crawl", "http://start.example/", "--quiet"));
                command.addAll(List.of("--seeds", list.toString(), "--out", directory.toString()));
                command.addAll(List.of("--dns-server", dns, "--concurrency", "1"));
                command.addAll(List.of("--contact", "bench@example.org"));
            }
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        }

        /** Waits until the last rejected line is this one, or at most one batch before it. */
        private void awaitLine(Process process, long line)
                throws IOException, InterruptedException {
            while (lastRejected() < line - line % MALFORMED_EVERY) {
                requireAlive(process, 5, line);
            }
        }

        private static void requireAlive(Process process, long millis, long line)
                throws InterruptedException {
            if (process.waitFor(millis, TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException(
                        "the crawl ended before line %,d with exit code %d"
                                .formatted(line, process.exitValue()));
            }
        }

        private Optional<Path> rejectedFile() throws IOException {
            var lists = directory.resolve(DirectoryLayout.SEEDS);
            if (!Files.isDirectory(lists)) {
                return Optional.empty();
            }
            try (var files = Files.list(lists)) {
                return files.filter(each -> each.toString().endsWith(".tsv")).findFirst();
            }
        }

        private long lastRejected() throws IOException {
            var file = rejectedFile();
            if (file.isEmpty()) {
                return 0;
            }
            try (var channel = FileChannel.open(file.get())) {
                var size = channel.size();
                var tail = ByteBuffer.allocate((int) Math.min(size, LAST_LINES));
                var read = channel.read(tail, size - tail.capacity());
                var text = new String(tail.array(), 0, Math.max(0, read), UTF_8);
                var end = text.lastIndexOf('\n');
                var begin = text.lastIndexOf('\n', end - 1) + 1;
                var tab = text.indexOf('\t', begin);
                return end < 0 || tab < 0 ? 0 : Long.parseLong(text.substring(begin, tab));
            }
        }

        private long countRejected() throws IOException {
            try (var all = Files.lines(rejectedFile().orElseThrow())) {
                return all.count();
            }
        }

        /**
         * What the frontier has between two runs.
         *
         * @param lines those of the list that are stored
         */
        private record Stored(long lines, Ledger ledger) {}

        private Stored stored() throws Exception {
            var config = StoredCrawl.open(directory, Settings.CORE).config();
            try (var frontier =
                    new DirectoryFrontier(directory, config).open(new RealDisk(), Instant.now())) {
                var job = frontier.job(FrontierLocation.OWN_JOB);
                return new Stored(
                        job.seedPositions().stream().mapToLong(SeedPosition::lines).sum(),
                        job.ledger());
            }
        }
    }

    /** A process of its own, with a small heap. */
    private record Child(Process process) {

        private static Child start(Path directory) throws IOException {
            var command = new ArrayList<String>();
            command.add(ProcessHandle.current().info().command().orElse("java"));
            command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:+UseCompactObjectHeaders"));
            command.add("--sun-misc-unsafe-memory-access=allow");
            command.addAll(List.of("-cp", System.getProperty("java.class.path")));
            command.addAll(List.of(Intake.class.getName(), directory.toString()));
            return new Child(
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start());
        }

        private Map<String, Object> figures() throws IOException, InterruptedException {
            var figures = new LinkedHashMap<String, Object>();
            try (var out = process.inputReader()) {
                for (var line = out.readLine(); line != null; line = out.readLine()) {
                    var equals = line.indexOf('=');
                    if (equals > 0) {
                        figures.put(
                                line.substring(0, equals),
                                Long.valueOf(line.substring(equals + 1)));
                    }
                }
            }
            if (process.waitFor() != 0) {
                throw new IllegalStateException("the intake failed with " + process.exitValue());
            }
            return figures;
        }
    }

    /** Reads the seed lists of a directory into its frontier, as a crawl does. */
    static final class Intake {

        private Intake() {}

        public static void main(String[] args) throws Exception {
            var directory = Path.of(args[0]);
            var begun = System.nanoTime();
            try (var frontier =
                    DiskFrontier.open(
                            new RealDisk(),
                            directory.resolve("frontier"),
                            POLITENESS,
                            DiskSettings.DEFAULT,
                            Instant.now())) {
                var job = frontier.job(JOB);
                var urls = new CrawlUrls(Normalisation.DEFAULT, job.fingerprintKey());
                var scope = new RuleScope(CrawlConfig.of("http://localhost/").scope(), List.of());
                job.forEachSeedHost(scope::addSeedHost);
                var first = job.seedPositions().stream().mapToLong(each -> each.lines()).sum();
                var failure = new AtomicReference<Throwable>();
                try (var intake =
                        new SeedIntake(
                                directory,
                                new SeedIntake.Target(
                                        job, urls, scope::withSeed, () -> true, failure::set),
                                InstantSource.system())) {
                    intake.start();
                    for (var polls = 0; intake.isPending() && failure.get() == null; polls++) {
                        Thread.sleep(100);
                        if (polls % 50 == 49) {
                            System.err.println("bench: " + intake.progress());
                        }
                    }
                }
                if (failure.get() != null) {
                    throw new IllegalStateException(failure.get());
                }
                var ledger = job.ledger();
                System.out.println("firstLine=" + first);
                System.out.println("accepted=" + ledger.accepted());
                System.out.println("refused=" + ledger.refused());
                System.out.println("duplicate=" + ledger.duplicate());
                System.out.println("cpuMillis=" + Cpu.processNanos() / 1_000_000);
                System.out.println("wallMillis=" + (System.nanoTime() - begun) / 1_000_000);
                System.out.println("rssBytes=" + Cpu.status("VmHWM"));
            }
        }
    }
}
