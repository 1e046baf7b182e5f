package dev.orbweaver.crawls;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Settings;
import dev.orbweaver.config.Values;
import dev.orbweaver.lab.Auditor;
import dev.orbweaver.lab.CrawlTerms;
import dev.orbweaver.lab.LabDns;
import dev.orbweaver.lab.LabServer;
import dev.orbweaver.lab.ServerSettings;
import dev.orbweaver.lab.SimulatedWeb;
import dev.orbweaver.lab.Truth;
import dev.orbweaver.lab.WebSpec;
import dev.orbweaver.model.Extensions;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** A simulated web served on loopback for one test, and what a crawl of it must find. */
public final class LabWeb implements AutoCloseable {

    private final SimulatedWeb web;
    private final LabServer server;
    private final LabDns dns;

    private LabWeb(SimulatedWeb web, LabServer server, LabDns dns) {
        this.web = web;
        this.server = server;
        this.dns = dns;
    }

    /** Serves a web. */
    public static LabWeb serve(WebSpec spec) throws IOException {
        var web = SimulatedWeb.of(spec);
        var server = LabServer.start(web, ServerSettings.defaults());
        return new LabWeb(web, server, LabDns.start(web, 0, Duration.ofMinutes(5)));
    }

    /** Where everything can be reached from. */
    public String hub() {
        return web.hubUrl(server.port());
    }

    /** Who saw every request. */
    public Auditor auditor() {
        return server.auditor();
    }

    /** Who knows its names. */
    public String nameServer() {
        return "127.0.0.1:" + dns.address().getPort();
    }

    /** What a polite crawl of everything must end with. */
    public Truth truth() {
        var terms = CrawlTerms.polite(CrawlTerms.ANY, Extensions.SKIPPED_BY_DEFAULT);
        return Truth.of(web, server.port(), List.of(hub()), terms);
    }

    /** A crawl of everything, with retries short enough for a test. */
    public CrawlConfig config(String... more) throws ConfigException {
        var values =
                new Values()
                        .put(Settings.SEEDS, List.of(hub()))
                        .put("scope", "any")
                        .put("dns", nameServer())
                        .put("allow-private", "true")
                        .put("contact", "test@example.org")
                        .put("delay", "0")
                        .put("retry-delay", "100ms")
                        .put("error-backoff", "10ms")
                        .put("patience", "3s")
                        .put("disk-patience", "0")
                        .put("min-free-disk", "0");
        return CrawlConfig.read(values.putPairs(List.of(more)));
    }

    @Override
    public void close() {
        dns.close();
        server.close();
    }
}
