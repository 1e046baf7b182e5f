package dev.orbweaver.cli;

import dev.orbweaver.FleetWorker;
import dev.orbweaver.cli.Failure.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.Quantities;
import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.disk.WholeFile;
import dev.orbweaver.frontier.redis.LongTail;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/** {@code orbweaver worker --redis URL --data DIR}: joins a fleet. */
final class WorkerCommand implements Command {

    private static final String DATA = "--data";
    private static final String NAME = "--name";
    private static final String NAME_FILE = "worker";
    private static final String WORKERS = "--workers";
    private static final String HOST_LEASE = "--host-lease";
    private static final String HOST_LEASE_DEFAULT = "30s";
    private static final String ALLOW_PRIVATE = "--allow-private";
    private static final String OVERFLOW = "--overflow";
    private static final String REDIS_MEMORY = "--redis-memory";
    private static final long REDIS_MEMORY_MIN = 1L << 20;
    private static final String WORKERS_DEFAULT = "512";
    private static final Duration HOST_LEASE_MIN = Duration.ofSeconds(1);
    private static final int NAME_MAX = 40;

    private final Terminal terminal;

    private WorkerCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new WorkerCommand(terminal)
                        .describe(
                                "worker",
                                "Join a fleet and work on its jobs until stopped.",
                                "Workers may come and go at any time. Each needs a folder of its"
                                        + " own; jobs are in DIR/jobs/N, as crawls that export and"
                                        + " query read.",
                                "");
        spec.addOption(FleetOptions.redis());
        spec.addOption(FleetOptions.fleet());
        spec.addOption(Options.text(DATA, "DIR", "the folder for everything this worker writes"));
        spec.addOption(
                Options.text(
                        NAME,
                        "NAME",
                        "its name in the fleet; default: a new one, which is kept in the folder"));
        spec.addOption(
                Options.text(
                        WORKERS,
                        "N",
                        "requests at the same time, of all jobs; default: " + WORKERS_DEFAULT));
        spec.addOption(
                Options.text(
                        HOST_LEASE,
                        "TIME",
                        "after how long without a sign this worker's hosts go to others; default: "
                                + HOST_LEASE_DEFAULT));
        spec.addOption(
                Options.text(
                        OVERFLOW,
                        "DIR",
                        "a folder that all workers share, for the tails of long queues when Redis"
                                + " is short of memory; default: none, all of them are in Redis"));
        spec.addOption(
                Options.text(
                        REDIS_MEMORY,
                        "SIZE",
                        "how much memory Redis is to use, with --overflow; default: its own"
                                + " maxmemory"));
        spec.addOption(
                OptionSpec.builder(ALLOW_PRIVATE)
                        .description("let jobs crawl private addresses from here")
                        .build());
        spec.addOption(ProcessMetrics.option());
        spec.addOption(Options.quiet());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        if (!arguments.hasMatchedOption(DATA)) {
            throw new UsageException("--data is missing: name a folder for this worker");
        }
        var data = Folders.named(arguments.matchedOptionValue(DATA, ""));
        Files.createDirectories(data);
        var terms =
                new FleetWorker.Terms(
                        FleetOptions.settings(arguments, name(arguments, data))
                                .withHostLease(hostLease(arguments))
                                .withLongTail(longTail(arguments)),
                        data,
                        workers(arguments),
                        arguments.hasMatchedOption(ALLOW_PRIVATE));
        try (var _ = Logging.toFolder(data);
                var figures = ProcessMetrics.wish(arguments).start();
                var worker = FleetWorker.join(terms)) {
            if (figures != null) {
                figures.watch(() -> List.copyOf(worker.status().values()), List::of, worker::usage);
            }
            worker.warnings().forEach(text -> terminal.err().println("warning: " + text));
            Signals.first(
                    () -> {
                        terminal.err()
                                .println(
                                        "leaving: pages under way may finish; once more ends at"
                                                + " once");
                        worker.stop();
                    });
            return work(worker, data, arguments.hasMatchedOption(Options.QUIET));
        }
    }

    private int work(FleetWorker worker, Path data, boolean quiet) throws InterruptedException {
        if (quiet) {
            worker.run();
            return ExitCode.COMPLETE.code();
        }
        terminal.out()
                .println("worker " + worker.name() + " joins the fleet, writing into " + data);
        try (var _ = WorkerProgress.start(terminal, worker)) {
            worker.run();
        }
        terminal.out().println("worker " + worker.name() + " leaves the fleet");
        terminal.out().flush();
        return ExitCode.COMPLETE.code();
    }

    private static Duration hostLease(ParseResult arguments) {
        var text = arguments.matchedOptionValue(HOST_LEASE, HOST_LEASE_DEFAULT);
        return Quantities.duration(text)
                .filter(time -> time.compareTo(HOST_LEASE_MIN) >= 0)
                .orElseThrow(
                        () ->
                                new UsageException(
                                        "--host-lease must be a time from 1s on, not '%s'"
                                                .formatted(text)));
    }

    private static LongTail longTail(ParseResult arguments) {
        var text = arguments.matchedOptionValue(REDIS_MEMORY, "");
        if (!arguments.hasMatchedOption(OVERFLOW)) {
            if (!text.isEmpty()) {
                throw new UsageException(
                        "--redis-memory needs --overflow: a folder for what Redis is not to hold");
            }
            return new LongTail.InRedis();
        }
        var bytes =
                text.isEmpty()
                        ? 0L
                        : Quantities.size(text)
                                .filter(size -> size >= REDIS_MEMORY_MIN)
                                .orElseThrow(
                                        () ->
                                                new UsageException(
                                                        "--redis-memory must be a size from 1MB"
                                                                + " on, not '%s'".formatted(text)));
        return new LongTail.InFiles(
                Folders.named(arguments.matchedOptionValue(OVERFLOW, "")), bytes);
    }

    private static int workers(ParseResult arguments) {
        var text = arguments.matchedOptionValue(WORKERS, WORKERS_DEFAULT);
        try {
            var count = Integer.parseInt(text);
            if (count >= 1) {
                return count;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new UsageException("--workers must be a number from 1 on, not '" + text + "'");
    }

    /** The same name after a restart, so that others know who is back. */
    private static String name(ParseResult arguments, Path data) throws IOException {
        if (arguments.hasMatchedOption(NAME)) {
            return arguments.matchedOptionValue(NAME, "");
        }
        var file = data.resolve(NAME_FILE);
        if (Files.exists(file)) {
            return Files.readString(file).strip();
        }
        var random = HexFormat.of().toHexDigits((short) ThreadLocalRandom.current().nextInt());
        var name = machine() + "-" + random;
        WholeFile.write(new RealDisk(), file, name + "\n");
        return name;
    }

    private static String machine() {
        try {
            var name =
                    InetAddress.getLocalHost()
                            .getHostName()
                            .toLowerCase(Locale.ROOT)
                            .replaceAll("[^a-z0-9-].*", "");
            return name.isEmpty() ? "worker" : name.substring(0, Math.min(NAME_MAX, name.length()));
        } catch (UnknownHostException e) {
            return "worker"; // A machine without a name; the random part tells workers apart.
        }
    }
}
