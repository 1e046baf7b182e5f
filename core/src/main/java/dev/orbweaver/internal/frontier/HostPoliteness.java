package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.JobId;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The politeness of a job on a host.
 *
 * @param delay the configured delay that applies
 * @param foreign the settings of other jobs that are in force
 */
public record HostPoliteness(Duration delay, List<ForeignSetting> foreign) {

    public HostPoliteness {
        foreign = List.copyOf(foreign);
    }

    /** Returns the politeness of a job that shares the host with no other. */
    public static HostPoliteness of(Politeness own, String host) {
        return new HostPoliteness(own.forHost(host).hostDelay(), List.of());
    }

    /**
     * Returns the politeness of a job beside others, for a reader of a frontier that another
     * process uses.
     *
     * @param onHost other active jobs that have URLs on the host
     * @param elsewhere other active jobs that have none there
     */
    public static HostPoliteness of(
            Politeness own,
            String host,
            Map<JobId, Politeness> onHost,
            Map<JobId, Politeness> elsewhere) {
        var others = new TreeMap<Integer, Politeness>();
        onHost.forEach((job, politeness) -> others.put(job.number(), politeness.forHost(host)));
        var all = new TreeMap<Integer, Politeness>();
        onHost.forEach((job, politeness) -> all.put(job.number(), politeness));
        elsewhere.forEach((job, politeness) -> all.put(job.number(), politeness));
        return of(own.forHost(host), others, own, all);
    }

    static HostPoliteness of(
            Politeness ownOnHost,
            SortedMap<Integer, Politeness> onHost,
            Politeness own,
            SortedMap<Integer, Politeness> all) {
        return new HostPoliteness(
                Stream.concat(Stream.of(ownOnHost), onHost.values().stream())
                        .map(Politeness::hostDelay)
                        .reduce(
                                Duration.ZERO,
                                (one, other) -> one.compareTo(other) > 0 ? one : other),
                Stream.concat(
                                ForeignSetting.onHost(ownOnHost, onHost).stream(),
                                ForeignSetting.everywhere(own, all).stream())
                        .toList());
    }
}
