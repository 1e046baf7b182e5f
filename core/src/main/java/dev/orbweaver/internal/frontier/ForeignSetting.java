package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.JobId;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * A politeness setting of another job that is in force for a job, because it is stricter than its
 * own.
 *
 * @param job that has set it
 * @param setting its name
 * @param value as a user writes it
 */
public record ForeignSetting(JobId job, String setting, String value) {

    private record Kind(
            String setting,
            ToDoubleFunction<Politeness> strictness,
            Function<Politeness, String> value) {

        static Kind ofDelay(String setting, Function<Politeness, Duration> delay) {
            return new Kind(
                    setting,
                    politeness -> delay.apply(politeness).toMillis(),
                    politeness -> text(delay.apply(politeness)));
        }
    }

    private static final List<Kind> OF_HOST =
            List.of(
                    Kind.ofDelay("delay", Politeness::hostDelay),
                    new Kind(
                            "concurrency-per-host",
                            politeness -> -politeness.concurrencyPerHost(),
                            politeness -> Integer.toString(politeness.concurrencyPerHost())),
                    new Kind(
                            "delay-factor",
                            politeness -> politeness.adaptiveDelaySettings().factor(),
                            politeness ->
                                    Double.toString(politeness.adaptiveDelaySettings().factor())),
                    Kind.ofDelay("error-backoff", Politeness::errorBackoff));

    private static final List<Kind> OF_ALL =
            List.of(
                    Kind.ofDelay("delay-ip", Politeness::ipDelay),
                    Kind.ofDelay("delay-domain", Politeness::domainDelay));

    /** Formats a delay as the settings accept it. */
    private static String text(Duration delay) {
        var millis = delay.toMillis();
        return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
    }

    /** Returns the settings of other jobs that are in force on a host. */
    static List<ForeignSetting> onHost(Politeness own, Map<Integer, Politeness> others) {
        return stricter(OF_HOST, own, others);
    }

    /** Returns the settings of other jobs that are in force for all addresses and domains. */
    static List<ForeignSetting> everywhere(Politeness own, Map<Integer, Politeness> others) {
        var foreign = new ArrayList<>(stricter(OF_ALL, own, others));
        others.forEach(
                (job, politeness) ->
                        politeness.groups().stream()
                                .filter(group -> !own.groups().contains(group))
                                .map(
                                        group ->
                                                new ForeignSetting(
                                                        new JobId(job),
                                                        "rate-group",
                                                        text(group.delay())))
                                .forEach(foreign::add));
        return foreign;
    }

    private static List<ForeignSetting> stricter(
            List<Kind> kinds, Politeness own, Map<Integer, Politeness> others) {
        var foreign = new ArrayList<ForeignSetting>();
        for (var kind : kinds) {
            var strictest = kind.strictness.applyAsDouble(own);
            ForeignSetting found = null;
            for (var other : others.entrySet()) {
                var strictness = kind.strictness.applyAsDouble(other.getValue());
                if (strictness > strictest) {
                    strictest = strictness;
                    found =
                            new ForeignSetting(
                                    new JobId(other.getKey()),
                                    kind.setting,
                                    kind.value.apply(other.getValue()));
                }
            }
            if (found != null) {
                foreign.add(found);
            }
        }
        return foreign;
    }
}
