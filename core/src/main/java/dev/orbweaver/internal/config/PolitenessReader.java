package dev.orbweaver.internal.config;

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

/** Parses delays, rate groups and host rules. */
record PolitenessReader(CheckedValues checked) {

    private static final Duration IP_DELAY = Duration.ofMillis(100);

    /** How much longer a lease is valid than a request may take. */
    private static final Duration LEASE_SLACK = Duration.ofMinutes(5);

    private static final String DELAY = "delay";
    private static final String PER_HOST = "concurrency-per-host";
    private static final String CONCURRENCY = "concurrency";
    private static final String CONCURRENCY_EQ = CONCURRENCY + "=";
    private static final String RULE = "host-rule: expected PATTERN delay=TIME concurrency=COUNT";
    private static final String GROUP =
            "rate-group: expected PATTERN TIME [concurrency=COUNT] or ADDRESS/BITS TIME"
                    + " [concurrency=COUNT]";

    /**
     * @param requestTimeout the maximum duration of a request
     * @param crawlDelay the Crawl-delay that applies to all hosts
     */
    Politeness read(Duration requestTimeout, Duration crawlDelay) {
        var min = checked.delay("min-delay");
        var max = checked.delay("max-delay");
        var fixed = !checked.isAuto(DELAY);
        if (!fixed && min.compareTo(max) > 0) {
            checked.addProblem("min-delay", "min-delay must not be longer than max-delay");
        }
        var delay = checked.delayOr(DELAY, min);
        var adaptiveDelaySettings = new AdaptiveDelaySettings(checked.factor("delay-factor"), max);
        return new Politeness(
                        longer(delay, crawlDelay),
                        checked.delayOr("delay-ip", shorter(IP_DELAY, delay)),
                        checked.delay("delay-domain"),
                        checked.count(PER_HOST, 1),
                        requestTimeout.plus(LEASE_SLACK))
                .with(fixed ? AdaptiveDelaySettings.OFF : adaptiveDelaySettings)
                .withErrorBackoff(checked.delay("error-backoff"))
                .with(hostRules(), rateGroups());
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) > 0 ? a : b;
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    private List<HostOverride> hostRules() {
        var rules = new ArrayList<HostOverride>();
        for (var text : checked.list("host-rule")) {
            hostRule(text.strip().split("\\s+", -1))
                    .ifPresentOrElse(
                            rules::add,
                            () ->
                                    checked.addProblem(
                                            "host-rule",
                                            RULE + ", not " + CheckedValues.quote(text)));
        }
        return rules;
    }

    private static Optional<HostOverride> hostRule(String[] words) {
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
                Optional.ofNullable(named.get(CONCURRENCY))
                        .flatMap(Quantities::count)
                        .filter(count -> count >= 1 && count <= Integer.MAX_VALUE)
                        .map(Long::intValue);
        var valid =
                !named.isEmpty()
                        && Set.of(DELAY, CONCURRENCY).containsAll(named.keySet())
                        && delay.isPresent() == named.containsKey(DELAY)
                        && perHost.isPresent() == named.containsKey(CONCURRENCY);
        return valid
                ? ExclusionList.pattern(words[0])
                        .map(hosts -> new HostOverride(hosts, delay, perHost))
                : Optional.empty();
    }

    private List<RateGroup> rateGroups() {
        var groups = new ArrayList<RateGroup>();
        for (var text : checked.list("rate-group")) {
            rateGroup(text.strip().split("\\s+", -1))
                    .ifPresentOrElse(
                            groups::add,
                            () ->
                                    checked.addProblem(
                                            "rate-group",
                                            GROUP + ", not " + CheckedValues.quote(text)));
        }
        return groups;
    }

    private static Optional<RateGroup> rateGroup(String[] words) {
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
        return word.startsWith(CONCURRENCY_EQ)
                ? Quantities.count(word.substring(CONCURRENCY_EQ.length()))
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
            return Optional.empty(); // The caller reports it.
        }
    }
}
