package dev.orbweaver.e2e.hostile;

import java.util.List;
import java.util.stream.Stream;

/** All hostile hosts. */
public final class HostileHosts {

    private HostileHosts() {}

    /** Every host, by family. */
    public static List<HostileHost> all() {
        return Stream.of(
                        HostileDocuments.all(),
                        HostileRobots.all(),
                        HostileResponses.all(),
                        HostileNames.all())
                .flatMap(List::stream)
                .toList();
    }

    /** The host of that name. */
    public static HostileHost find(String name) {
        return all().stream()
                .filter(host -> host.name().equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "Unknown host '"
                                                + name
                                                + "'; expected one of "
                                                + all().stream().map(HostileHost::name).toList()));
    }
}
