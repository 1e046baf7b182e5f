package dev.orbweaver.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** What this process has used so far. */
final class Cpu {

    private Cpu() {}

    /** Of all threads, the collector's and the compiler's included. */
    static long processNanos() {
        var system =
                (com.sun.management.OperatingSystemMXBean)
                        ManagementFactory.getOperatingSystemMXBean();
        return system.getProcessCpuTime();
    }

    static long threadNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** Of the threads that compile, as far as they still run; 0 where the system does not tell. */
    static long compilerNanos() throws IOException {
        var tasks = Path.of("/proc/self/task");
        if (!Files.exists(tasks)) {
            return 0;
        }
        try (var threads = Files.list(tasks)) {
            return threads.mapToLong(Cpu::compilerNanos).sum();
        }
    }

    private static long compilerNanos(Path thread) {
        try {
            var name = Files.readString(thread.resolve("comm"));
            // The first figure is the time on a processor, in nanoseconds.
            return name.contains("CompilerThre")
                    ? Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ")[0])
                    : 0;
        } catch (IOException ended) {
            return 0;
        }
    }

    /** A line of /proc/self/status, in bytes; 0 where there is none. */
    static long status(String name) throws IOException {
        var status = Path.of("/proc/self/status");
        if (!Files.exists(status)) {
            return 0;
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith(name + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .findFirst()
                .orElse(0);
    }
}
