package dev.orbweaver.internal.directory;

import dev.orbweaver.internal.crawl.RobotsStore;
import dev.orbweaver.internal.fetch.SharedDnsCache;
import dev.orbweaver.internal.traps.TrapBalances;

import java.time.InstantSource;

/** What several processes that work on the same job know together. */
public interface SharedCaches {

    /** A job that nobody else works on. */
    SharedCaches NONE =
            new SharedCaches() {
                @Override
                public RobotsStore robots(RobotsStore own, InstantSource clock) {
                    return own;
                }

                @Override
                public SharedDnsCache addresses() {
                    return SharedDnsCache.NONE;
                }

                @Override
                public TrapBalances traps() {
                    return TrapBalances.LOCAL;
                }

                @Override
                public boolean isShared() {
                    return false;
                }
            };

    /** What robots.txt files say, beyond what this process keeps itself. */
    RobotsStore robots(RobotsStore own, InstantSource clock);

    /** The addresses of names. */
    SharedDnsCache addresses();

    /** The balances by which traps are recognised. */
    TrapBalances traps();

    /** Whether other processes may work on the same job. */
    boolean isShared();
}
