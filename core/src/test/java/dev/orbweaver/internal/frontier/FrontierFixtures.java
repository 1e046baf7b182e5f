package dev.orbweaver.internal.frontier;

import java.time.Duration;
import java.time.Instant;

/** Creates the frontiers for the parts of the contract. */
public interface FrontierFixtures {

    /** Plain politeness: one request at a time, a second apart, and no other gate. */
    Politeness PLAIN =
            new Politeness(
                    Duration.ofSeconds(1), Duration.ZERO, Duration.ZERO, 1, Duration.ofMinutes(10));

    /** Returns a new, empty frontier. */
    TestFrontier open(Politeness politeness, Instant now);

    /** Returns a scenario under plain politeness. */
    default Fixture fixture() {
        return fixture(PLAIN);
    }

    /** Returns a scenario under the given politeness. */
    default Fixture fixture(Politeness politeness) {
        return new Fixture(open(politeness, Fixture.START));
    }

    /** Returns plain politeness except for the number of concurrent requests. */
    static Politeness perHost(int perHost) {
        return new Politeness(
                PLAIN.hostDelay(),
                PLAIN.ipDelay(),
                PLAIN.domainDelay(),
                perHost,
                PLAIN.leaseTime());
    }

    /** Returns politeness with no delay except for these gates. */
    static Politeness gates(Duration ip, Duration domain) {
        return new Politeness(Duration.ZERO, ip, domain, 1, PLAIN.leaseTime());
    }
}
