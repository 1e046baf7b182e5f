package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.AddressRange;
import dev.orbweaver.model.HostPattern;
import dev.orbweaver.testing.CpuRatio;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/** Rules for hosts and addresses, found as a scan of all of them would find them. */
class HostPatternMapTest {

    private static final int FEW = 10;
    private static final int MANY = 10_000;

    private final Random random = new Random(23);

    @Test
    void findsTheFirstPatternThatMatches() {
        for (var round = 0; round < 200; round++) {
            var patterns = IntStream.range(0, 30).mapToObj(_ -> pattern()).toList();
            var map = new HostPatternMap<HostPattern>();
            patterns.forEach(pattern -> map.add(pattern, pattern));
            for (var i = 0; i < 50; i++) {
                var host = host();
                var found = new ArrayList<HostPattern>();
                map.forEach(host, found::add);
                var matching = patterns.stream().filter(it -> it.matches(host)).toList();
                assertThat(map.first(host)).isEqualTo(matching.stream().findFirst());
                assertThat(found).containsExactlyInAnyOrderElementsOf(matching);
            }
        }
    }

    @Test
    void findsEveryGroupOfAHostAndAnAddress() throws UnknownHostException {
        for (var round = 0; round < 200; round++) {
            var groups = IntStream.range(0, 40).mapToObj(i -> group(i)).distinct().toList();
            var index = new RateGroupIndex(groups);
            for (var i = 0; i < 50; i++) {
                var host = host();
                var address = address();
                assertThat(index.of(host, address))
                        .containsExactlyInAnyOrderElementsOf(
                                groups.stream()
                                        .filter(group -> matches(group, host, address))
                                        .toList());
            }
        }
    }

    /** A scan of all rules costs a thousand times as much for the larger number. */
    @Test
    void aNewHostCostsTheSameWithTenThousandHostRules() {
        var cpu = CpuRatio.of(hosts(FEW), hosts(MANY));
        assertThat(cpu.ratio()).as("%s", cpu).isLessThan(5);
    }

    @Test
    void aRequestCostsTheSameWithTenThousandRateGroups() {
        var cpu = CpuRatio.of(gates(FEW), gates(MANY));
        assertThat(cpu.ratio()).as("%s", cpu).isLessThan(5);
    }

    private static CpuRatio.Operation hosts(int rules) {
        var overrides =
                IntStream.range(0, rules)
                        .mapToObj(
                                i ->
                                        new HostOverride(
                                                HostPattern.of(".h" + i + ".test"),
                                                Optional.of(Duration.ofSeconds(i)),
                                                Optional.empty()))
                        .toList();
        var politeness = new EffectivePoliteness(Politeness.DEFAULT.with(overrides, List.of()));
        return times -> {
            for (var i = 0; i < times; i++) {
                if (politeness.forHost("www.other.test").hostDelay().toSeconds() != 1) {
                    throw new AssertionError("a rule of another host applies");
                }
            }
        };
    }

    private static CpuRatio.Operation gates(int number) {
        var groups =
                IntStream.range(0, number)
                        .mapToObj(
                                i ->
                                        new RateGroup(
                                                i % 2 == 0
                                                        ? hosts(".h" + i + ".test")
                                                        : addresses(
                                                                "10.%d.%d.0/24"
                                                                        .formatted(
                                                                                i >> 8, i & 0xFF)),
                                                Duration.ofSeconds(1)))
                        .toList();
        var politeness = new EffectivePoliteness(Politeness.DEFAULT.with(List.of(), groups));
        var host = new HostQueue("www.other.test", Politeness.DEFAULT);
        var address = InetAddress.ofLiteral("192.0.2.1");
        return times -> {
            for (var i = 0; i < times; i++) {
                var wanted =
                        Gates.wanted(host, address, politeness.shared(), politeness.sharedGroups());
                if (wanted.size() != 1) {
                    throw new AssertionError("gates of other hosts: " + wanted);
                }
            }
        };
    }

    private HostPattern pattern() {
        var name = host();
        return switch (random.nextInt(3)) {
            case 0 -> new HostPattern(name, true, false);
            case 1 -> new HostPattern(name, false, true);
            default -> new HostPattern(name, true, true);
        };
    }

    private String host() {
        var labels = new ArrayList<String>();
        for (var i = random.nextInt(4); i >= 0; i--) {
            labels.add(random.nextBoolean() ? "a" : "b");
        }
        return String.join(".", labels);
    }

    private RateGroup group(int number) {
        var members =
                random.nextBoolean()
                        ? new RateGroup.Members.Hosts(pattern())
                        : new RateGroup.Members.Addresses(range());
        return new RateGroup(members, Duration.ofMillis(number));
    }

    private AddressRange range() {
        var bytes = random.nextBoolean() ? new byte[4] : new byte[16];
        bytes[0] = (byte) random.nextInt(4);
        bytes[1] = (byte) (random.nextInt(4) << 6);
        return new AddressRange(bytes, random.nextInt(12));
    }

    private InetAddress address() throws UnknownHostException {
        var bytes = random.nextBoolean() ? new byte[4] : new byte[16];
        bytes[0] = (byte) random.nextInt(4);
        bytes[1] = (byte) (random.nextInt(4) << 6);
        bytes[2] = (byte) random.nextInt();
        return InetAddress.getByAddress(bytes);
    }

    private static boolean matches(RateGroup group, String host, InetAddress address) {
        return switch (group.members()) {
            case RateGroup.Members.Hosts(var pattern) -> pattern.matches(host);
            case RateGroup.Members.Addresses(var range) -> range.contains(address.getAddress());
        };
    }

    private static RateGroup.Members hosts(String pattern) {
        return new RateGroup.Members.Hosts(HostPattern.of(pattern));
    }

    private static RateGroup.Members addresses(String range) {
        return new RateGroup.Members.Addresses(AddressRange.of(range));
    }
}
