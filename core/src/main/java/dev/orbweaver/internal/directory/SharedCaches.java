package dev.orbweaver.internal.directory;

import dev.orbweaver.internal.crawl.RobotsStore;
import dev.orbweaver.internal.fetch.SharedDnsCache;
import dev.orbweaver.internal.revisit.RevisitSettings;
import dev.orbweaver.internal.seeds.SeedIntake;
import dev.orbweaver.internal.seeds.SeedReader;
import dev.orbweaver.internal.traps.TrapBalances;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;

/** Caches that are shared by all processes of the same job. */
public interface SharedCaches {

    /** For a job that only this process works on. */
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

    /**
     * Returns the robots.txt cache, which combines this process's own store with the shared one.
     */
    RobotsStore robots(RobotsStore own, InstantSource clock);

    SharedDnsCache addresses();

    TrapBalances traps();

    /**
     * Returns the reader of the seed lists that the processes share; empty if each crawl reads the
     * lists of its directory.
     *
     * @param directory of the crawl
     */
    default Optional<SeedReader> seedReader(Path directory, SeedIntake.Target target) {
        return Optional.empty();
    }

    /**
     * Returns what decides for all processes when pages are visited again; empty if each crawl does
     * that for itself.
     */
    default Optional<SharedRevisits> revisits(
            RevisitSettings settings,
            SharedRevisits.PageWeight weight,
            SharedRevisits.Crawl crawl) {
        return Optional.empty();
    }

    /** Returns whether other processes may work on the same job. */
    boolean isShared();
}
