package dev.orbweaver.internal.jobs;

import dev.orbweaver.model.CrawlUrl;

import java.io.IOException;
import java.time.Instant;
import java.util.Collection;

/** Receives notifications that pages of a job have changed. */
public interface ChangeSignals {

    /**
     * The pages changed, or are new, according to their host.
     *
     * @param at when the notification arrived
     */
    void changed(Collection<CrawlUrl> urls, Instant at) throws IOException, InterruptedException;
}
