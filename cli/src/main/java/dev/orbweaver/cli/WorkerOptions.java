package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.Quantities;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.OverflowStore;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;

import picocli.CommandLine.Model.CommandSpec;
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

/** The options of commands that join a fleet. */
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

    static void addName(CommandSpec spec) {
        spec.addOption(
                Options.text(
                        NAME,
                        "NAME",
                        "its name in the fleet; default: a new one, which is kept in the folder"));
    }

    static void addFleetOptions(CommandSpec spec) {
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
    }

    /** Those that have no meaning without a fleet. */
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
                                        "--host-lease must be a time from 1s on, not '%s'"
                                                .formatted(text)));
    }

    private static OverflowStore overflowStore(ParseResult arguments) {
        var text = arguments.matchedOptionValue(REDIS_MEMORY, "");
        if (!arguments.hasMatchedOption(OVERFLOW)) {
            if (!text.isEmpty()) {
                throw new UsageException(
                        "--redis-memory needs --overflow: a folder for what Redis is not to hold");
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
                                                        "--redis-memory must be a size from 1MB"
                                                                + " on, not '%s'".formatted(text)));
        return new OverflowStore.InFiles(
                Directories.parse(arguments.matchedOptionValue(OVERFLOW, "")), bytes);
    }

    /** The same name after a restart, so that others know who is back. */
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
            return "worker"; // A machine without a name; the random part tells workers apart.
        }
    }
}
