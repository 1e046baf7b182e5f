package dev.orbweaver.internal.frontier;

import java.time.Instant;

class MemoryFrontierTest implements FrontierContract {

    @Override
    public Frontier open(Politeness politeness, Instant now) {
        return WorkbenchFrontier.inMemory(politeness, now);
    }
}
