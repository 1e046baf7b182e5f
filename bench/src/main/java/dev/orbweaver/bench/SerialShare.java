package dev.orbweaver.bench;

import dev.orbweaver.bench.ProcessUsage.Sample;
import dev.orbweaver.internal.frontier.WorkbenchFrontier;

import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Computes the serial share of a crawl: the CPU time that only one core can do at a time, divided
 * by the CPU time of the whole process.
 *
 * <p>Serial are the committer thread, whose CPU time Linux reports, and the calls of all other
 * threads that hold the frontier's lock. JFR's CPU-time sampler finds these: a sample counts if a
 * frame of its stack is a {@code synchronized} method of {@link WorkbenchFrontier}. CPU time of a
 * thread that spins for the lock counts too, time that it sleeps does not. The crawl itself
 * contains no measuring code.
 */
final class SerialShare {

    /**
     * CPU time of a thread between two samples. Linux rounds it up to its clock tick; a sample
     * contains the true value, which is its weight here.
     */
    private static final String SAMPLING_PERIOD = "4ms";

    /** The sampled CPU time of the committer must agree with Linux's within this factor. */
    private static final double TOLERANCE = 1.25;

    private static final String COMMITTER = "committer";
    private static final String LOCKED_CLASS = WorkbenchFrontier.class.getName();

    private final Instant from;
    private final Instant to;
    private final Map<String, Double> lockedSeconds = new HashMap<>();
    private double committerSeconds;
    private double otherSeconds;
    private double failedSeconds;
    private long samples;
    private long lost;

    private SerialShare(Instant from, Instant to) {
        this.from = from;
        this.to = to;
    }

    /** Returns the launcher's variable JAVA_OPTS that records what {@link #figures} reads. */
    static String javaOpts(Path recording) {
        requireSynchronizedFrontier();
        return "-Xmn384m -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints"
                + " -XX:FlightRecorderOptions:stackdepth=128 -Xlog:jfr*=off"
                + " -XX:StartFlightRecording:settings=none,+jdk.CPUTimeSample#enabled=true"
                + ",+jdk.CPUTimeSample#throttle=%s,+jdk.CPUTimeSamplesLost#enabled=true,filename=%s"
                        .formatted(SAMPLING_PERIOD, recording);
    }

    /** If the frontier locks by other means, this class would find no CPU time under its lock. */
    private static void requireSynchronizedFrontier() {
        if (Arrays.stream(WorkbenchFrontier.class.getDeclaredMethods())
                .noneMatch(method -> Modifier.isSynchronized(method.getModifiers()))) {
            throw new IllegalStateException(
                    LOCKED_CLASS
                            + " has no synchronized method; adapt SerialShare to its way of"
                            + " locking");
        }
    }

    /**
     * Returns the shares from {@code warmUpSeconds} after the start until the committer ends, so
     * without the closing of the files.
     *
     * @throws IOException if that part is too short, or the sampler missed much of it
     */
    static Map<String, Object> figures(
            Path recording, ProcessUsage.Usage usage, double warmUpSeconds, double minSeconds)
            throws IOException {
        var begin = usage.sampleAt(usage.samples().getFirst().time() + warmUpSeconds);
        var end = lastCommit(usage.samples());
        if (end.time() - begin.time() < minSeconds) {
            throw new IOException(
                    "the crawl took %.1f s, so less than %.0f s are left after %.0f s of warm-up; crawl more pages or warm up for less time"
                            .formatted(usage.seconds(), minSeconds, warmUpSeconds));
        }
        var share = new SerialShare(instant(begin), instant(end));
        try (var events = new RecordingFile(recording)) {
            while (events.hasMoreEvents()) {
                share.add(events.readEvent());
            }
        }
        return share.figures(begin, end);
    }

    private static Sample lastCommit(List<Sample> samples) {
        var last = samples.getFirst();
        for (var sample : samples) {
            last = sample.committerSeconds() > last.committerSeconds() ? sample : last;
        }
        return last;
    }

    private static Instant instant(Sample sample) {
        return Instant.ofEpochMilli((long) (sample.time() * 1000));
    }

    private void add(RecordedEvent event) {
        if (event.getStartTime().isBefore(from) || event.getStartTime().isAfter(to)) {
            return;
        }
        switch (event.getEventType().getName()) {
            case "jdk.CPUTimeSample" -> addSample(event);
            case "jdk.CPUTimeSamplesLost" -> lost += event.getLong("lostSamples");
            default -> {}
        }
    }

    private void addSample(RecordedEvent event) {
        var seconds = seconds(event.getDuration("samplingPeriod"));
        samples++;
        if (isCommitter(event.getValue("eventThread"))) {
            committerSeconds += seconds;
        } else if (event.getStackTrace() == null) {
            failedSeconds += seconds;
        } else {
            otherSeconds += seconds;
            lockedMethod(event.getStackTrace().getFrames())
                    .ifPresent(method -> lockedSeconds.merge(method, seconds, Double::sum));
        }
    }

    private static boolean isCommitter(RecordedThread thread) {
        return thread != null && COMMITTER.equals(thread.getJavaName());
    }

    /** Returns the outermost method that holds the frontier's lock. */
    private static Optional<String> lockedMethod(List<RecordedFrame> frames) {
        return frames.reversed().stream()
                .filter(RecordedFrame::isJavaFrame)
                .map(RecordedFrame::getMethod)
                .filter(method -> method.getType().getName().equals(LOCKED_CLASS))
                .filter(method -> Modifier.isSynchronized(method.getModifiers()))
                .map(method -> method.getName())
                .findFirst();
    }

    private Map<String, Object> figures(Sample begin, Sample end) throws IOException {
        var cpu = end.cpuSeconds() - begin.cpuSeconds();
        var committer = end.committerSeconds() - begin.committerSeconds();
        var scale = (double) (samples + lost) / samples; // Lost samples are like the others.
        var coverage = scale * committerSeconds / committer;
        if (!(coverage > 1 / TOLERANCE && coverage < TOLERANCE)) {
            throw new IOException(
                    "the committer used %.2f s of CPU, but the sampler found %.2f s (%d samples, %d lost); crawl more pages, on an idle machine"
                            .formatted(committer, scale * committerSeconds, samples, lost));
        }
        // So are samples whose stack could not be read.
        var locked =
                lockedSeconds.values().stream().mapToDouble(each -> each).sum()
                        * scale
                        * (otherSeconds + failedSeconds)
                        / otherSeconds;
        var figures = new LinkedHashMap<String, Object>();
        figures.put("serial.share", (committer + locked) / cpu);
        figures.put("serial.committerShare", committer / cpu);
        figures.put("serial.frontierLockShare", locked / cpu);
        figures.put("serial.compilerShare", compilerSeconds(begin, end) / cpu);
        figures.put("serial.windowSeconds", end.time() - begin.time());
        figures.put("serial.windowCpuSeconds", cpu);
        figures.put("serial.sampledCommitterRatio", coverage);
        figures.put("serial.samples", samples);
        figures.put("serial.lostSamples", lost);
        lockedSeconds.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                .forEach(
                        method ->
                                System.err.println(
                                        "bench: under the frontier's lock, outside of the committer: %s %.1f %% of CPU"
                                                .formatted(
                                                        method.getKey(),
                                                        100 * method.getValue() / cpu)));
        return figures;
    }

    private static double compilerSeconds(Sample begin, Sample end) {
        return end.compilerSeconds() - begin.compilerSeconds();
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
