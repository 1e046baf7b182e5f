package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.OverflowStore;
import dev.orbweaver.internal.config.Quantities;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;

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

/** The options of commands that run jobs, as workers of a fleet or alone. */
final class WorkerOptions {

    private static final String NAME = "--name";
    private static final String HOST_LEASE = "--host-lease";
    private static final String HOST_LEASE_DEFAULT = "30s";
    private static final String OVERFLOW = "--overflow";
    private static final String REDIS_MEMORY = "--redis-memory";
    private static final long REDIS_MEMORY_MIN = 1L << 20;
    private static final Duration HOST_LEASE_MIN = Duration.ofSeconds(1);
    private static final int NAME_MAX = 40;

    private WorkerOptions() {}

    static OptionSpec name() {
        return Options.text(
                NAME,
                "NAME",
                "name of this worker in the fleet (default: a new one, stored in its directory)");
    }

    static OptionSpec concurrency(String fallback) {
        return Options.text(
                "--concurrency",
                "N",
                "requests in flight at the same time, of all jobs (default: " + fallback + ")");
    }

    static List<OptionSpec> privateAddresses() {
        return List.of(
                Options.toggle(
                        "--allow-private",
                        "allow jobs to crawl private and loopback addresses from this machine;"
                                + " link-local addresses and cloud metadata services stay blocked"),
                Options.of(Modules.SETTINGS.find(Settings.ALLOW_ADDRESSES).orElseThrow()));
    }

    static List<OptionSpec> fleetOptions() {
        return List.of(
                Options.text(
                        HOST_LEASE,
                        "TIME",
                        "other workers take over the hosts of a worker that has not renewed its"
                                + " lease for TIME (default: "
                                + HOST_LEASE_DEFAULT
                                + ")"),
                Options.text(
                        OVERFLOW,
                        "DIR",
                        "shared directory for queued URLs when Redis is short of memory, the same"
                                + " for all workers (default: none, everything stays in Redis)"),
                Options.text(
                        REDIS_MEMORY,
                        "SIZE",
                        "with --overflow, memory that Redis may use, such as 2GB (default: its"
                                + " maxmemory setting)"));
    }

    /** Returns the options that need a fleet. */
    static List<String> fleetOnlyNames() {
        return List.of(NAME, HOST_LEASE, OVERFLOW, REDIS_MEMORY);
    }

    static FleetSettings settings(ParseResult arguments, Path data) throws IOException {
        return FleetOptions.settings(arguments, name(arguments, data))
                .withHostLease(hostLease(arguments))
                .withOverflowStore(overflowStore(arguments));
    }

    private static Duration hostLease(ParseResult arguments) {
        var text = arguments.matchedOptionValue(HOST_LEASE, HOST_LEASE_DEFAULT);
        return Quantities.duration(text)
                .filter(time -> time.compareTo(HOST_LEASE_MIN) >= 0)
                .orElseThrow(
                        () ->
                                new UsageException(
                                        "--host-lease: expected a time of at least 1s, not '%s'"
                                                .formatted(text)));
    }

    private static OverflowStore overflowStore(ParseResult arguments) {
        var text = arguments.matchedOptionValue(REDIS_MEMORY, "");
        if (!arguments.hasMatchedOption(OVERFLOW)) {
            if (!text.isEmpty()) {
                throw new UsageException(
                        "--redis-memory needs --overflow: the directory for queues beyond that"
                                + " size");
            }
            return new OverflowStore.InRedis();
        }
        var bytes =
                text.isEmpty()
                        ? 0L
                        : Quantities.size(text)
                                .filter(size -> size >= REDIS_MEMORY_MIN)
                                .orElseThrow(
                                        () ->
                                                new UsageException(
                                                        "--redis-memory: expected a size of at"
                                                                + " least 1MB, not '%s'"
                                                                        .formatted(text)));
        return new OverflowStore.InFiles(
                Directories.parse(arguments.matchedOptionValue(OVERFLOW, "")), bytes);
    }

    /** Returns the name of this worker; without the option it is stored, to survive a restart. */
    private static String name(ParseResult arguments, Path data) throws IOException {
        if (arguments.hasMatchedOption(NAME)) {
            return arguments.matchedOptionValue(NAME, "");
        }
        var file = data.resolve(DirectoryLayout.WORKER);
        if (Files.exists(file)) {
            return AtomicFile.read(new RealDisk(), file).strip();
        }
        var random = HexFormat.of().toHexDigits((short) ThreadLocalRandom.current().nextInt());
        var name = machine() + "-" + random;
        AtomicFile.write(new RealDisk(), file, name + "\n");
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
            return "worker"; // The machine has no name; the random suffix distinguishes workers.
        }
    }
}
