package dev.orbweaver.internal.engine;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.model.FileExtensions;
import dev.orbweaver.testkit.Auditor;
import dev.orbweaver.testkit.CrawlAssumptions;
import dev.orbweaver.testkit.GroundTruth;
import dev.orbweaver.testkit.ServerSettings;
import dev.orbweaver.testkit.SimulatedDns;
import dev.orbweaver.testkit.SimulatedWeb;
import dev.orbweaver.testkit.SimulatedWebServer;
import dev.orbweaver.testkit.WebSpec;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** A simulated web served on loopback for one test, and what a crawl of it must find. */
public final class LoopbackWeb implements AutoCloseable {

    private final SimulatedWeb web;
    private final SimulatedWebServer server;
    private final SimulatedDns dns;

    private LoopbackWeb(SimulatedWeb web, SimulatedWebServer server, SimulatedDns dns) {
        this.web = web;
        this.server = server;
        this.dns = dns;
    }

    /** Serves a web. */
    public static LoopbackWeb serve(WebSpec spec) throws IOException {
        var web = SimulatedWeb.of(spec);
        var server = SimulatedWebServer.start(web, ServerSettings.defaults());
        return new LoopbackWeb(web, server, SimulatedDns.start(web, 0, Duration.ofMinutes(5)));
    }

    /** Where everything can be reached from. */
    public String hub() {
        return web.hubUrl(server.port());
    }

    /** What is served. */
    public SimulatedWeb web() {
        return web;
    }

    /** Where it is served, and by which clock. */
    public SimulatedWebServer server() {
        return server;
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
    public GroundTruth truth() {
        var terms =
                CrawlAssumptions.polite(CrawlAssumptions.ANY, FileExtensions.SKIPPED_BY_DEFAULT);
        return GroundTruth.of(web, server.port(), List.of(hub()), terms);
    }

    /** A crawl of everything, with retries short enough for a test. */
    public CrawlConfig config(String... more) throws ConfigException {
        var settingValues =
                new SettingValues()
                        .put(Settings.SEEDS, List.of(hub()))
                        .put("scope", "any")
                        .put("dns-server", nameServer())
                        .put("allow-private", "true")
                        .put("contact", "test@example.org")
                        .put("delay", "0")
                        .put("retry-delay", "100ms")
                        .put("error-backoff", "10ms")
                        .put("max-idle-wait", "3s")
                        .put("max-disk-wait", "0")
                        .put("min-free-disk", "0");
        return CrawlConfig.read(settingValues.putPairs(List.of(more)));
    }

    @Override
    public void close() {
        dns.close();
        server.close();
    }
}
