package dev.orbweaver;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.engine.OpenCrawl;
import dev.orbweaver.model.CrawlReport;
import dev.orbweaver.model.Ledger;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** An open crawl as users of the library see it. */
record LibraryCrawl(OpenCrawl crawl) implements RunningCrawl {

    @Override
    public CrawlReport run() throws InterruptedException, IOException {
        var end = crawl.run();
        if (crawl.handlerFailure().isPresent()) {
            throw crawl.handlerFailure().get();
        }
        return crawl.summary(end);
    }

    @Override
    public void pause() {
        crawl.pause();
    }

    @Override
    public void resume() {
        crawl.resume();
    }

    @Override
    public void stop() {
        crawl.stop(crawl.config().crawl().stopGrace());
    }

    @Override
    public void stop(Duration grace) {
        crawl.stop(grace);
    }

    @Override
    public Ledger counts() {
        return crawl.status().frontier().ledger();
    }

    @Override
    public int inFlight() {
        return crawl.status().inFlight();
    }

    @Override
    public Optional<String> waitingFor() {
        return crawl.status().problem();
    }

    @Override
    public void setDelay(Duration delay) throws ConfigException, IOException {
        crawl.reconfigure("delay", delay.toMillis() + "ms");
    }

    @Override
    public void setMaxPages(long pages) throws ConfigException, IOException {
        crawl.reconfigure("max-pages", Long.toString(pages));
    }

    @Override
    public void setConcurrency(int requests) throws ConfigException, IOException {
        crawl.reconfigure("concurrency", Integer.toString(requests));
    }

    @Override
    public CrawlDirectory directory() {
        return new CrawlDirectory(crawl.directory(), crawl.config());
    }

    @Override
    public void close() throws IOException {
        crawl.close();
    }
}
