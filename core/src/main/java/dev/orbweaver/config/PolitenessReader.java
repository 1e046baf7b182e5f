package dev.orbweaver.config;

import dev.orbweaver.internal.frontier.AdaptiveDelaySettings;
import dev.orbweaver.internal.frontier.HostOverride;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.RateGroup;
import dev.orbweaver.model.AddressRange;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Delays, gates and exceptions, from what a user wrote. */
record PolitenessReader(CheckedValues checked) {

    private static final Duration IP_DELAY = Duration.ofMillis(100);

    /** How much longer than a whole request a lease holds. */
    private static final Duration LEASE_SLACK = Duration.ofMinutes(5);

    private static final String DELAY = "delay";
    private static final String PER_HOST = "per-host";
    private static final String IN_FLIGHT = "in-flight=";
    private static final String RULE = "host-rule takes PATTERN delay=TIME per-host=COUNT";
    private static final String GATE =
            "gate takes PATTERN TIME [in-flight=COUNT] or ADDRESSES/BITS TIME [in-flight=COUNT]";

    /**
     * @param total how long a request may take
     * @param asked what all hosts ask for as a delay
     */
    Politeness read(Duration total, Duration asked) {
        var least = checked.delay("delay-min");
        var most = checked.delay("delay-max");
        var fixed = !checked.isAuto(DELAY);
        if (!fixed && least.compareTo(most) > 0) {
            checked.addProblem("delay-min", "delay-min must not be longer than delay-max");
        }
        var delay = checked.delayOr(DELAY, least);
        var adaptiveDelaySettings = new AdaptiveDelaySettings(checked.factor("delay-factor"), most);
        return new Politeness(
                        longer(delay, asked),
                        checked.delayOr("delay-ip", shorter(IP_DELAY, delay)),
                        checked.delay("delay-domain"),
                        checked.count(PER_HOST, 1),
                        total.plus(LEASE_SLACK))
                .with(fixed ? AdaptiveDelaySettings.OFF : adaptiveDelaySettings)
                .withErrorBackoff(checked.delay("error-backoff"))
                .with(rules(), gates());
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) > 0 ? a : b;
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    private List<HostOverride> rules() {
        var rules = new ArrayList<HostOverride>();
        for (var text : checked.list("host-rule")) {
            rule(text.strip().split("\\s+", -1))
                    .ifPresentOrElse(
                            rules::add,
                            () ->
                                    checked.addProblem(
                                            "host-rule",
                                            RULE + ", not " + CheckedValues.quote(text)));
        }
        return rules;
    }

    private static Optional<HostOverride> rule(String[] words) {
        var named = new HashMap<String, String>();
        for (var i = 1; i < words.length; i++) {
            var equals = words[i].indexOf('=');
            if (equals < 1) {
                return Optional.empty();
            }
            named.put(words[i].substring(0, equals), words[i].substring(equals + 1));
        }
        var delay = Optional.ofNullable(named.get(DELAY)).flatMap(Quantities::duration);
        var perHost =
                Optional.ofNullable(named.get(PER_HOST))
                        .flatMap(Quantities::count)
                        .filter(count -> count >= 1 && count <= Integer.MAX_VALUE)
                        .map(Long::intValue);
        var understood =
                !named.isEmpty()
                        && Set.of(DELAY, PER_HOST).containsAll(named.keySet())
                        && delay.isPresent() == named.containsKey(DELAY)
                        && perHost.isPresent() == named.containsKey(PER_HOST);
        return understood
                ? ExclusionList.pattern(words[0])
                        .map(hosts -> new HostOverride(hosts, delay, perHost))
                : Optional.empty();
    }

    private List<RateGroup> gates() {
        var gates = new ArrayList<RateGroup>();
        for (var text : checked.list("gate")) {
            gate(text.strip().split("\\s+", -1))
                    .ifPresentOrElse(
                            gates::add,
                            () ->
                                    checked.addProblem(
                                            "gate", GATE + ", not " + CheckedValues.quote(text)));
        }
        return gates;
    }

    private static Optional<RateGroup> gate(String[] words) {
        if (words.length < 2 || words.length > 3) {
            return Optional.empty();
        }
        var inFlight = words.length == 2 ? Optional.of(0) : inFlight(words[2]);
        var delay = Quantities.duration(words[1]);
        return inFlight.isEmpty() || delay.isEmpty()
                ? Optional.empty()
                : members(words[0])
                        .map(members -> new RateGroup(members, delay.get(), inFlight.get()));
    }

    private static Optional<Integer> inFlight(String word) {
        return word.startsWith(IN_FLIGHT)
                ? Quantities.count(word.substring(IN_FLIGHT.length()))
                        .filter(count -> count >= 1 && count <= Integer.MAX_VALUE)
                        .map(Long::intValue)
                : Optional.empty();
    }

    private static Optional<RateGroup.Members> members(String text) {
        if (text.indexOf('/') < 0) {
            return ExclusionList.pattern(text).map(RateGroup.Members.Hosts::new);
        }
        try {
            return Optional.of(new RateGroup.Members.Addresses(AddressRange.of(text)));
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // Which the caller reports.
        }
    }
}
