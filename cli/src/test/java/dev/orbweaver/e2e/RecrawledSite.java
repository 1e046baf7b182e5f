package dev.orbweaver.e2e;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.engine.CrawlOpener;
import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.internal.engine.RecrawlList;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.testkit.AuditRules;
import dev.orbweaver.testkit.Hazard;
import dev.orbweaver.testkit.HiddenRateLimits;
import dev.orbweaver.testkit.SimulatedRequest;
import dev.orbweaver.testkit.WebSpec;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A documentation site with honest validators that is crawled, changes on about one page in a
 * hundred, and is crawled again. The server counts what it sends.
 */
public final class RecrawledSite {

    private static final int SITE = 1;
    private static final int PAGE_BYTES = 20_000;
    private static final Duration DELAY = Duration.ofMillis(12);

    /** Arrivals carry the kernel's stamp; see ADR 3. */
    private static final Duration ALLOWANCE = Duration.ofMillis(5);

    private final Path directory;
    private final int pages;
    private final long seed;

    /**
     * @param directory of the crawl; does not exist yet
     */
    public RecrawledSite(Path directory, int pages, long seed) {
        this.directory = directory;
        this.pages = pages;
        this.seed = seed;
    }

    /**
     * What was seen.
     *
     * @param pages of the site
     * @param expected the pages that changed
     * @param listed the pages that {@code changes} lists, with the word for the change
     * @param changedBytes of the bodies of the pages that changed
     * @param early requests before their delay was over, and other findings of the auditor
     */
    public record Result(
            int pages,
            SortedSet<String> expected,
            SortedSet<String> listed,
            long firstBytes,
            long secondBytes,
            long secondBodyBytes,
            long changedBytes,
            String early) {

        /**
         * Whether the recrawl listed exactly the changed pages, was polite, and transferred at most
         * 5 % of the first crawl, with bodies of at most 1.05 times those of the changed pages.
         */
        public boolean holds() {
            return listed.equals(
                            expected.stream()
                                    .map(url -> "changed " + url)
                                    .collect(Collectors.toSet()))
                    && early.isEmpty()
                    && secondBytes * 20 <= firstBytes
                    && secondBodyBytes * 100 <= changedBytes * 105;
        }

        /** Returns the figures of a benchmark. */
        public Map<String, Object> figures() {
            var figures = new LinkedHashMap<String, Object>();
            figures.put("pages", pages);
            figures.put("changed", expected.size());
            figures.put("listed", listed.size());
            figures.put("firstBytes", firstBytes);
            figures.put("secondBytes", secondBytes);
            figures.put("share", (double) secondBytes / firstBytes);
            figures.put("secondBodyBytes", secondBodyBytes);
            figures.put("bodiesOfChanged", changedBytes);
            figures.put("ratio", (double) secondBodyBytes / changedBytes);
            figures.put("polite", early.isEmpty());
            return figures;
        }
    }

    /** Crawls the site twice. */
    public Result run() throws Exception {
        var spec = WebSpec.light(seed, 2, pages).plain().withMeanPageBytes(PAGE_BYTES);
        try (var web = LoopbackWeb.serve(spec.with(Hazard.VALIDATORS, Hazard.CHANGES))) {
            var server = web.server();
            server.holdTime();
            var config = config(web);
            crawl(config);
            var firstBytes = server.bytesSent();
            var firstBodyBytes = server.bodyBytesSent();
            var before = server.now();
            advanceUntilChanged(web);
            var expected = changed(web, before);
            var _ =
                    RecrawlList.add(
                            StoredCrawl.pages(List.of(directory), Settings.CORE), _ -> true);
            crawl(config);
            var audit =
                    web.auditor()
                            .report(
                                    new AuditRules(
                                            DELAY,
                                            Duration.ZERO,
                                            Duration.ZERO,
                                            1,
                                            ALLOWANCE,
                                            true));
            return new Result(
                    web.web().pageCount() - 1,
                    expected,
                    listed(),
                    firstBytes,
                    server.bytesSent() - firstBytes,
                    server.bodyBytesSent() - firstBodyBytes,
                    bodyBytes(web, expected),
                    audit.isPolite() ? "" : audit.json());
        }
    }

    private static CrawlConfig config(LoopbackWeb web) throws ConfigException {
        return web.config(
                "seeds=" + web.web().frontUrl(SITE, web.server().port()),
                "scope=host",
                "delay=" + DELAY.toMillis() + "ms",
                "delay-ip=0");
    }

    private void crawl(CrawlConfig config) throws Exception {
        try (var crawl = CrawlOpener.open(config, directory)) {
            var _ = crawl.run();
        }
    }

    /** Steps the web's clock until one page in a hundred has changed. */
    private static void advanceUntilChanged(LoopbackWeb web) {
        var before = web.server().now();
        var wanted = Math.max(1, (web.web().pageCount() - 1) / 100);
        while (changed(web, before).size() < wanted) {
            web.server().advanceTime(Duration.ofMinutes(5));
        }
    }

    private static SortedSet<String> changed(LoopbackWeb web, Duration before) {
        var port = web.server().port();
        var front = web.web().frontUrl(SITE, port);
        var changed = new TreeSet<String>();
        for (var page = 0; page < web.web().pageCount(); page++) {
            var url = web.web().url(page, port);
            if (url.startsWith(front)
                    && web.web().version(page, before)
                            != web.web().version(page, web.server().now())) {
                changed.add(url);
            }
        }
        return changed;
    }

    private static long bodyBytes(LoopbackWeb web, SortedSet<String> urls) {
        var bytes = 0L;
        for (var url : urls) {
            var uri = URI.create(url);
            var target =
                    uri.getRawQuery() == null
                            ? uri.getRawPath()
                            : uri.getRawPath() + "?" + uri.getRawQuery();
            bytes +=
                    web.web()
                            .respond(
                                    SimulatedRequest.of(uri.getHost(), target)
                                            .atTime(web.server().now()),
                                    web.server().port(),
                                    new HiddenRateLimits(web.web()))
                            .orElseThrow()
                            .body()
                            .length;
        }
        return bytes;
    }

    /** Returns what {@code orbweaver changes} lists. */
    private SortedSet<String> listed() throws IOException, InterruptedException {
        var out = directory.resolveSibling("changes.jsonl");
        var command = ProgramJvm.program();
        command.addAll(
                List.of(
                        "changes",
                        directory.toString(),
                        "--format=jsonl",
                        "--all-kinds",
                        "--quiet",
                        "--to=" + out));
        var code = new ProcessBuilder(command).inheritIO().start().waitFor();
        if (code != 0) {
            throw new IllegalStateException("changes has ended with " + code);
        }
        var listed = new TreeSet<String>();
        for (var line : Files.readAllLines(out)) {
            var change = JsonMapper.shared().readTree(line);
            listed.add(change.path("kind").asString() + " " + change.path("url").asString());
        }
        return listed;
    }
}
