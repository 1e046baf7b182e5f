package dev.orbweaver.internal.frontier;

import java.time.Duration;
import java.time.Instant;

/** Where the parts of the contract get their frontiers from. */
public interface FrontierFixtures {

    /** Plain politeness: one request at a time, a second apart, and no other gate. */
    Politeness PLAIN =
            new Politeness(
                    Duration.ofSeconds(1), Duration.ZERO, Duration.ZERO, 1, Duration.ofMinutes(10));

    /** A new, empty frontier. */
    TestFrontier open(Politeness politeness, Instant now);

    /** A scene under plain politeness. */
    default Fixture fixture() {
        return fixture(PLAIN);
    }

    /** A scene under the given politeness. */
    default Fixture fixture(Politeness politeness) {
        return new Fixture(open(politeness, Fixture.START));
    }

    /** Plain politeness but for requests at a time. */
    static Politeness perHost(int perHost) {
        return new Politeness(
                PLAIN.hostDelay(),
                PLAIN.ipDelay(),
                PLAIN.domainDelay(),
                perHost,
                PLAIN.leaseTime());
    }

    /** No delay at all but for these gates. */
    static Politeness gates(Duration ip, Duration domain) {
        return new Politeness(Duration.ZERO, ip, domain, 1, PLAIN.leaseTime());
    }
}
