package dev.orbweaver.e2e.hostile;

import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.fetch.NameServer;
import dev.orbweaver.internal.fetch.TestServer;
import dev.orbweaver.testkit.InvalidCertificates;
import dev.orbweaver.testkit.InvalidCertificates.Defect;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Crawls a clean host and one hostile host in a process with a heap of 512 MB, and measures what
 * the hostile host costs from the moment it is linked to.
 */
public final class HostileCrawl {

    /** The share of its rate that the clean host must keep. */
    public static final double CLEAN_SHARE_MIN = 0.9;

    private static final int ATTEMPTS = 3;
    private static final String HEAP = "-Xmx512m";
    private static final Duration START_MAX = Duration.ofSeconds(90);

    /** How long a crawl may go on after a signal to stop: its grace period and some time to end. */
    private static final Duration STOP_MAX = Duration.ofSeconds(10);

    private static final Duration COMMAND_MAX = Duration.ofSeconds(90);
    private static final long SAMPLE_MILLIS = 50;
    private static final long POLL_MILLIS = 250;
    private static final int DISK_EVERY = 5;
    private static final int STOP_BY_SIGNAL = 130;
    private static final int TERMINATED = 143;

    private static final Pattern COLLECTED = Pattern.compile(" \\d+M->(\\d+)M\\(");
    private static final Pattern ERRORS =
            Pattern.compile("OutOfMemoryError|StackOverflowError|NullPointerException");

    private final HostileHost host;
    private final Path directory;
    private final long seed;
    private final List<String> problems = new ArrayList<>();

    private volatile long cpuAtAlone;

    private HostileCrawl(HostileHost host, Path directory, long seed) {
        this.host = host;
        this.directory = directory;
        this.seed = seed;
    }

    /**
     * What a hostile host cost.
     *
     * @param outcome what came of it, in words
     * @param ratio the clean host's rate as a share of its rate alone
     * @param problems what broke a bound; empty when all held
     */
    public record CrawlCost(
            String host,
            String outcome,
            long requests,
            long cpuMillis,
            long heapMegabytes,
            long diskKilobytes,
            double seconds,
            double ratio,
            List<String> problems) {

        /** Whether every bound held, the clean host's share apart. */
        public boolean withinLimits() {
            return problems.isEmpty();
        }
    }

    /**
     * Crawls it once. The directory and files beside it with its name are left behind.
     *
     * @throws IOException when not even the clean host was crawled, as on a machine that is far too
     *     busy
     */
    public static CrawlCost run(HostileHost host, Path directory, long seed) throws Exception {
        for (var attempt = 1; ; attempt++) {
            var again = directory.resolveSibling(directory.getFileName() + "~" + attempt);
            var crawlCost = new HostileCrawl(host, attempt == 1 ? directory : again, seed).run();
            if (crawlCost.isPresent()) {
                return crawlCost.get();
            }
            if (attempt == ATTEMPTS) {
                throw new IOException("the crawl of the clean host ended early, see " + again);
            }
        }
    }

    /** Nothing when the crawl ended before the hostile host was linked to. */
    private Optional<CrawlCost> run() throws Exception {
        var certificates = new InvalidCertificates();
        var tls = host.certificate();
        try (var clean = new CleanHost(seed);
                var socket = socket(certificates, host.certificate(), host.name());
                var hostile = TestServer.start(socket, host.site().open(new Random(seed)));
                var warmSocket = socket(certificates, tls.map(_ -> Defect.NONE), "warm");
                var warm =
                        TestServer.start(
                                warmSocket,
                                RawResponses.front(RawResponses.html("<title>Warm</title>")));
                var names = NameServer.start(this::addresses)) {
            var process = start(clean, names, certificates);
            var meter = new Meter(process);
            clean.linkTo(
                    (tls.isPresent() ? "https" : "http") + "://warm.zoo.test:" + warm.port() + "/",
                    host.urls(hostile.port()),
                    () -> cpuAtAlone = meter.cpuNow());
            try {
                return clean.awaitRelease(process, START_MAX)
                        ? Optional.of(measure(process, meter, clean, hostile))
                        : Optional.empty();
            } finally {
                process.destroyForcibly();
                meter.join();
            }
        }
    }

    private List<String> addresses(String name, int question) {
        return name.startsWith("warm.")
                ? List.of(HostileHost.ADDRESS)
                : host.addressScript().addresses(name, question);
    }

    private static ServerSocket socket(
            InvalidCertificates certificates, Optional<Defect> certificate, String name)
            throws Exception {
        var address = InetAddress.ofLiteral(HostileHost.ADDRESS);
        var defect = certificate.orElse(Defect.NO_HANDSHAKE);
        return defect == Defect.NO_HANDSHAKE
                ? new ServerSocket(0, 1_000, address)
                : certificates
                        .server(defect, name + ".zoo.test")
                        .getServerSocketFactory()
                        .createServerSocket(0, 1_000, address);
    }

    private CrawlCost measure(Process process, Meter meter, CleanHost clean, TestServer hostile)
            throws Exception {
        var linked = System.nanoTime();
        var cpuAtLink = meter.cpuNow();
        var diskAtLink = meter.diskNow();
        var cpuOfCleanPage = (cpuAtLink - cpuAtAlone) / (double) CleanHost.aloneRequests();
        var ended = process.waitFor(CleanHost.BESIDE.toMillis(), TimeUnit.MILLISECONDS);
        clean.stopGrowing();
        if (!ended) {
            awaitEnd(process, linked, hostile);
        }
        var seconds = (System.nanoTime() - linked) / 1e9;
        meter.join();
        var cpu = meter.cpu - cpuAtLink - (long) (cpuOfCleanPage * clean.requestsBeside());
        var exit = process.isAlive() ? -1 : process.exitValue();
        var said = output() + afterwards();
        var hostileOutcome = HostileOutcome.read(directory, hostile.requests(), exit, said);
        var crawlCost =
                new CrawlCost(
                        host.name(),
                        hostileOutcome.summary(),
                        hostileOutcome.requests().size(),
                        Math.max(0, cpu / 1_000_000),
                        heap(),
                        Math.max(0, meter.disk - diskAtLink) >> 10,
                        seconds,
                        clean.ratio(),
                        problems);
        check(crawlCost, hostileOutcome, clean);
        return crawlCost;
    }

    private void awaitEnd(Process process, long linked, TestServer hostile) throws Exception {
        var until = linked + TimeUnit.SECONDS.toNanos(host.costLimits().seconds());
        while (System.nanoTime() < until && !(host.stopped() && isAsExpected(hostile))) {
            if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                return;
            }
        }
        if (!host.stopped()) {
            problems.add("did not end within " + host.costLimits().seconds() + " s");
        }
        process.destroy();
        if (!process.waitFor(STOP_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
            problems.add("went on for " + STOP_MAX.toSeconds() + " s after SIGTERM");
            process.destroyForcibly().waitFor();
        }
    }

    /** A crawl that could go on is stopped once it has done what it must. */
    private boolean isAsExpected(TestServer hostile) throws IOException {
        return host.check()
                .problem(HostileOutcome.read(directory, hostile.requests(), 0, ""))
                .isEmpty();
    }

    private void check(CrawlCost crawlCost, HostileOutcome hostileOutcome, CleanHost clean)
            throws IOException {
        problems.addAll(host.costLimits().exceeded(crawlCost));
        var exits = host.stopped() ? List.of(0, 5, STOP_BY_SIGNAL, TERMINATED) : List.of(0, 5);
        if (!exits.contains(hostileOutcome.exitCode())) {
            problems.add("exit code " + hostileOutcome.exitCode());
        }
        var internal = hostileOutcome.count(HostileOutcome::isOwnFault);
        CostLimits.addIfExceeded(problems, "lines with the cause internal or parse", internal, 0);
        for (var text : List.of(hostileOutcome.output(), log())) {
            var error = ERRORS.matcher(text);
            if (error.find()) {
                problems.add(error.group());
            }
        }
        // Pages in flight at a stop may be missing.
        var lost = clean.requests() - 1 - HostileOutcome.cleanPages(directory);
        CostLimits.addIfExceeded(problems, "pages of the clean host not stored", lost, 2);
        host.check().problem(hostileOutcome).ifPresent(problems::add);
    }

    private Process start(CleanHost clean, NameServer names, InvalidCertificates certificates)
            throws Exception {
        var trust = beside("trust.p12");
        try (var out = Files.newOutputStream(trust)) {
            certificates.trust().store(out, "secret".toCharArray());
        }
        var command = java();
        command.addAll(
                List.of("crawl", clean.url(), "--out", directory.toString(), "--scope", "any"));
        command.addAll(
                List.of("--dns-server", "127.0.0.1:" + names.address().getPort(), "--quiet"));
        command.addAll(List.of("--delay", "100ms", "--delay-ip", "0", "--contact", "zoo@test"));
        command.addAll(List.of("--timeout", "6s", "--first-byte-timeout", "4s"));
        command.addAll(List.of("--connect-timeout", "4s", "--dns-timeout", "2s"));
        command.addAll(
                List.of("--max-retries", "1", "--retry-delay", "500ms", "--max-idle-wait", "2s"));
        if (!host.privately()) {
            command.addAll(allowed());
        }
        command.addAll(host.options());
        return builder(command).start();
    }

    /** Lets the crawl reach the hostile host's address and no other. */
    static List<String> allowed() {
        return Settings.CORE.find("allow-addresses").isPresent()
                ? List.of("--allow-addresses", HostileHost.ADDRESS + "/32")
                : List.of("--allow-private");
    }

    private List<String> java() {
        return new ArrayList<>(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        HEAP,
                        "-XX:+UseParallelGC",
                        "-XX:+UseCompactObjectHeaders",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-Dorbweaver.terminal=false",
                        "-Djavax.net.ssl.trustStore=" + beside("trust.p12"),
                        "-Djavax.net.ssl.trustStorePassword=secret",
                        "-Xlog:gc:file=" + beside("gc.log") + ":uptime:filecount=0",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.orbweaver.cli.Main"));
    }

    private ProcessBuilder builder(List<String> command) {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(beside("out.txt").toFile()));
    }

    private Path beside(String name) {
        return directory.resolveSibling(directory.getFileName() + "." + name);
    }

    /** Runs what must work on the directory; returns what it says. */
    private String afterwards() throws Exception {
        var before = output().length();
        for (var each : host.afterwards()) {
            var command = java();
            command.replaceAll(word -> word.startsWith("-Xlog") ? "-Xlog:disable" : word);
            for (var word : each.split(" ", -1)) {
                command.add(word.replace("DIR", directory.toString()));
            }
            var process = builder(command).start();
            if (!process.waitFor(COMMAND_MAX.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
                problems.add("did not end: " + each);
            } else if (process.exitValue() != 0) {
                problems.add("exit code " + process.exitValue() + ": " + each);
            }
        }
        return output().substring(before);
    }

    private String output() throws IOException {
        return Files.readString(beside("out.txt"), StandardCharsets.UTF_8);
    }

    private String log() throws IOException {
        var file = directory.resolve("crawl.log");
        return Files.exists(file) ? Files.readString(file, StandardCharsets.ISO_8859_1) : "";
    }

    /** The most that was in use after a collection, in megabytes. */
    private long heap() throws IOException {
        try (var lines = Files.lines(beside("gc.log"))) {
            return lines.map(COLLECTED::matcher)
                    .filter(java.util.regex.Matcher::find)
                    .mapToLong(found -> Long.parseLong(found.group(1)))
                    .max()
                    .orElse(0);
        }
    }

    /** Samples processor time and disk space until the process has ended. */
    private final class Meter {

        private final Process process;
        private final Thread thread;
        private volatile long cpu;
        private volatile long disk;

        Meter(Process process) {
            this.process = process;
            this.thread = Thread.ofPlatform().daemon().start(this::sample);
        }

        private void sample() {
            for (var i = 0; process.isAlive(); i++) {
                var _ = cpuNow();
                if (i % DISK_EVERY == 0) {
                    disk = Math.max(disk, diskNow());
                }
                try {
                    process.waitFor(SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
                } catch (InterruptedException e) {
                    return;
                }
            }
            disk = Math.max(disk, diskNow());
        }

        long cpuNow() {
            cpu =
                    Math.max(
                            cpu,
                            Optional.of(process.toHandle().info())
                                    .flatMap(ProcessHandle.Info::totalCpuDuration)
                                    .map(Duration::toNanos)
                                    .orElse(0L));
            return cpu;
        }

        long diskNow() {
            try (var files = Files.walk(directory)) {
                return files.filter(Files::isRegularFile).mapToLong(this::length).sum();
            } catch (NoSuchFileException | UncheckedIOException changing) {
                return 0; // A file went away while they were counted; the next sample has it.
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private long length(Path file) {
            try {
                return Files.size(file);
            } catch (IOException gone) {
                return 0;
            }
        }

        void join() throws InterruptedException {
            thread.join(5_000);
        }
    }
}
