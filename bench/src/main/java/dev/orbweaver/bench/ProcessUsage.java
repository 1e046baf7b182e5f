package dev.orbweaver.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs a command and reads its CPU time and memory from {@code /proc} while it runs. The command
 * must not start further processes, because these are not counted.
 */
final class ProcessUsage {

    private static final long INTERVAL_MILLIS = 100;

    /** Time that a terminated process has to end by itself. */
    private static final long SECONDS_TO_END = 20;

    /** Linux reports times of processes in hundredths of a second. */
    private static final double TICKS_PER_SECOND = 100;

    /**
     * @param time seconds of the epoch
     * @param cpuSeconds of the process so far
     * @param compilerSeconds of the JVM's compiler threads so far
     * @param committerSeconds of the committer thread so far
     */
    record Sample(
            double time, double cpuSeconds, double compilerSeconds, double committerSeconds) {}

    /**
     * The result of a run.
     *
     * @param endTime seconds of the epoch at which the run ended or was terminated
     * @param cpuSeconds of the last sample, so up to a tenth of a second of it may be missing
     */
    record Usage(
            int exit,
            double seconds,
            double endTime,
            double cpuSeconds,
            long peakRss,
            List<Sample> samples) {

        /** Returns the first sample at a time of the epoch or later, or the last one. */
        Sample sampleAt(double time) {
            return samples.stream()
                    .filter(sample -> sample.time() >= time)
                    .findFirst()
                    .orElse(samples.getLast());
        }
    }

    private final Path process;
    private final Map<String, Double> compilers = new HashMap<>();
    private double committerSeconds;
    private long peakRss;

    private ProcessUsage(long pid) {
        this.process = Path.of("/proc", Long.toString(pid));
    }

    /** Runs a command in a directory; its output goes to the file {@code output.txt} there. */
    static Usage run(List<String> command, Path directory)
            throws IOException, InterruptedException {
        return run(command, Map.of(), directory, Double.POSITIVE_INFINITY);
    }

    /**
     * Runs a command with additional environment variables, and terminates it after {@code
     * maxSeconds}. The usage is that until then.
     */
    static Usage run(
            List<String> command,
            Map<String, String> environment,
            Path directory,
            double maxSeconds)
            throws IOException, InterruptedException {
        var builder =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("output.txt").toFile());
        builder.environment().putAll(environment);
        var begun = System.nanoTime();
        var running = builder.start();
        try {
            running.getOutputStream().close();
            var usage = new ProcessUsage(running.pid());
            var samples = new ArrayList<Sample>();
            var seconds = 0.0;
            do {
                usage.addSample(samples);
                seconds = (System.nanoTime() - begun) / 1e9;
            } while (seconds < maxSeconds
                    && !running.waitFor(INTERVAL_MILLIS, TimeUnit.MILLISECONDS));
            var endTime = System.currentTimeMillis() / 1e3;
            if (running.isAlive()) {
                end(running);
            } else {
                seconds = (System.nanoTime() - begun) / 1e9;
            }
            if (samples.isEmpty()) {
                throw new IOException(
                        "could not read the CPU time of " + command.getFirst() + " in /proc");
            }
            return new Usage(
                    running.exitValue(),
                    seconds,
                    endTime,
                    samples.getLast().cpuSeconds(),
                    usage.peakRss,
                    samples);
        } finally {
            running.destroyForcibly();
        }
    }

    private static void end(Process running) throws InterruptedException {
        running.destroy();
        if (!running.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
            running.destroyForcibly().waitFor();
        }
    }

    private void addSample(List<Sample> samples) {
        try {
            var cpu = cpuSeconds(process);
            peakRss = Math.max(peakRss, peakRss());
            try (var threads = Files.list(process.resolve("task"))) {
                threads.forEach(this::addThread);
            }
            var compiler = compilers.values().stream().mapToDouble(each -> each).sum();
            samples.add(
                    new Sample(System.currentTimeMillis() / 1e3, cpu, compiler, committerSeconds));
        } catch (IOException | IndexOutOfBoundsException ended) {
            return; // The files of an ended process are gone or empty.
        }
    }

    /** Keeps the time of a compiler thread, because the JVM ends those that are idle. */
    private void addThread(Path thread) {
        try {
            var name = Files.readString(thread.resolve("comm")).strip();
            if (name.contains("CompilerThre")) {
                compilers.put(thread.getFileName().toString(), cpuSeconds(thread));
            } else if (name.equals("committer")) {
                committerSeconds = cpuSeconds(thread);
            }
        } catch (IOException | IndexOutOfBoundsException ended) {
            return;
        }
    }

    /** Returns the CPU time of a process and of its running children. */
    static double cpuSeconds(ProcessHandle process) throws IOException {
        var sum = cpuSeconds(Path.of("/proc", Long.toString(process.pid())));
        for (var child : process.children().toList()) {
            sum += cpuSeconds(child);
        }
        return sum;
    }

    private static double cpuSeconds(Path task) throws IOException {
        var stat = Files.readString(task.resolve("stat"));
        // The name in parentheses may contain spaces. User and system time are fields 14 and 15.
        var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
    }

    private long peakRss() throws IOException {
        for (var line : Files.readAllLines(process.resolve("status"))) {
            if (line.startsWith("VmHWM:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
            }
        }
        return 0;
    }
}
