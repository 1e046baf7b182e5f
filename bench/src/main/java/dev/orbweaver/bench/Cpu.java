package dev.orbweaver.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** The CPU time and memory of this process. */
final class Cpu {

    private Cpu() {}

    /** CPU time of all threads, including garbage collector and compiler. */
    static long processNanos() {
        var system =
                (com.sun.management.OperatingSystemMXBean)
                        ManagementFactory.getOperatingSystemMXBean();
        return system.getProcessCpuTime();
    }

    static long threadNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** CPU time of running compiler threads; 0 if the system does not report it. */
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
            // The first number is the CPU time in nanoseconds.
            return name.contains("CompilerThre")
                    ? Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ")[0])
                    : 0;
        } catch (IOException ended) {
            return 0;
        }
    }

    /** Returns a value of /proc/self/status in bytes; 0 if absent. */
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
