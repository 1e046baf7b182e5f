package dev.orbweaver.fleet;

import dev.orbweaver.fleet.redis.RedisFrontier;
import dev.orbweaver.fleet.redis.RevisitDuty;
import dev.orbweaver.internal.directory.SharedRevisits;
import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.internal.revisit.RevisitBudget;
import dev.orbweaver.internal.revisit.RevisitSettings;
import dev.orbweaver.internal.revisit.SharedPages;
import dev.orbweaver.model.JobId;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;

/**
 * Visits the pages of a fleet job again. This worker decides when the pages that it visits are due,
 * and queues those of all workers if it has the duty.
 */
final class FleetRevisits implements SharedRevisits {

    private static final Logger LOG = LoggerFactory.getLogger(FleetRevisits.class);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

    private final JobId job;
    private final Crawl crawl;
    private final InstantSource clock;
    private final RevisitBudget budget;
    private final RevisitDuty duty;
    private final Thread thread;
    private volatile boolean closed;

    FleetRevisits(
            RedisFrontier frontier,
            JobId job,
            RevisitSettings settings,
            PageWeight weight,
            Crawl crawl,
            InstantSource clock) {
        this.job = job;
        this.crawl = crawl;
        this.clock = clock;
        this.budget = new RevisitBudget(settings);
        this.duty = frontier.revisitDuty(job, UUID.randomUUID().toString());
        this.thread =
                Thread.ofVirtual().name("revisits of job " + job.number()).unstarted(this::run);
        frontier.planRevisits(job, new SharedPages(settings, budget::lambda), weight);
    }

    @Override
    public void start() {
        thread.start();
    }

    private void run() {
        try {
            while (!closed) {
                try {
                    while (!closed
                            && duty.run(budget, crawl.hasRoom().getAsBoolean(), clock.instant())) {
                        LOG.debug("queued known pages of job {}", job.number());
                    }
                } catch (IOException | FrontierUnavailableException e) {
                    LOG.debug("waiting for Redis to queue known pages", e);
                }
                Thread.sleep(POLL_INTERVAL);
            }
        } catch (InterruptedException e) {
            LOG.debug("the crawl ends; due pages are queued by another worker");
        } catch (Throwable e) { // Out of memory too: another worker must queue these pages.
            if (!closed) {
                LOG.error("could not queue known pages", e);
                crawl.onFailure().accept(e);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join();
            duty.leave(budget, clock.instant());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            LOG.debug("another worker queues the pages of job {} later", job.number(), e);
        }
    }
}
