package dev.orbweaver.internal.frontier;

import java.time.Instant;

class MemoryFrontierTest implements LocalFrontierContract {

    @Override
    public TestFrontier open(Politeness politeness, Instant now) {
        return TestFrontier.inMemory(politeness, now);
    }
}
