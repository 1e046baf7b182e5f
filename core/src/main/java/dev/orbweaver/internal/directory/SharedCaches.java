package dev.orbweaver.internal.directory;

import dev.orbweaver.internal.crawl.RobotsStore;
import dev.orbweaver.internal.fetch.SharedDnsCache;
import dev.orbweaver.internal.traps.TrapBalances;

import java.time.InstantSource;

/** Caches that processes working on the same job share. */
public interface SharedCaches {

    /** A job that no other process works on. */
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

    SharedDnsCache addresses();

    TrapBalances traps();

    /** Whether other processes may work on the same job. */
    boolean isShared();
}
