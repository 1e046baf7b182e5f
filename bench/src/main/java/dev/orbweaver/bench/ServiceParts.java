package dev.orbweaver.bench;

import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Measures the service over HTTP, in a process of its own: calls, memory, and speed of a job. */
final class ServiceParts {

    private static final int CALLS = 60;
    private static final int SMALL_JOBS = 50;
    private static final int SMALL_PAGES = 25;
    private static final long IDLE_SECONDS = 90;
    private static final String FAST =
            "\"delay\":\"0\",\"delay-ip\":\"0\",\"concurrency-per-host\":\"64\"";

    private final Options options;
    private final Map<String, Object> figures;

    ServiceParts(Options options, Map<String, Object> figures) {
        this.options = options;
        this.figures = figures;
    }

    /** {@code --java-opts} replaces the launcher's, to compare settings. */
    private Map<String, String> environment() {
        return options.has("java-opts")
                ? Map.of("JAVA_OPTS", options.text("java-opts", ""))
                : Map.of();
    }

    /**
     * Times calls for a job of {@code --pages} pages of a simulated web. With {@code --data} its
     * directory is kept, and a second run does not crawl again.
     */
    void api(boolean onlyWhy) throws Exception {
        var kept = options.has("data");
        var data =
                kept
                        ? Files.createDirectories(Path.of(options.text("data", "")))
                        : Files.createTempDirectory("orbweaver-bench");
        try {
            if (!Files.exists(data.resolve("jobs/1"))) {
                crawl(data);
            }
            try (var service = ServiceProcess.start(data, List.of(), environment())) {
                service.awaitIndex(1);
                figures.put("api.pages", service.pages(1));
                figures.put("api.rssBytes", service.status("VmRSS"));
                if (!onlyWhy) {
                    lists(service);
                }
                explanations(service);
            }
        } finally {
            if (!kept) {
                CrawlProcess.delete(data);
            }
        }
    }

    private void crawl(Path data) throws Exception {
        var pages = options.number("pages", 1_000_000);
        var spec = WebSpec.light(9, 200, pages).without(Quirk.DEAD_HOSTS);
        try (var web = WebProcess.start(spec)) {
            var more =
                    List.of("--set", "dns-server=" + web.nameServer(), "--set", "min-free-disk=0");
            try (var service = ServiceProcess.start(data, more, environment())) {
                var begun = System.nanoTime();
                var job =
                        service.submit(
                                List.of(web.hub()), FAST + ",\"scope\":\"any\",\"traps\":\"off\"");
                service.awaitEnd(job);
                System.err.println("bench: crawled " + service.pages(job) + " pages");
                figures.put("api.crawlSeconds", (System.nanoTime() - begun) / 1e9);
                service.awaitIndex(job);
                figures.put("api.indexedSeconds", (System.nanoTime() - begun) / 1e9);
            }
        }
    }

    private void lists(ServiceProcess service) throws Exception {
        var newest = service.get("/jobs/1/pages?kind=page&limit=50");
        var seq = ServiceProcess.number(newest, "seq");
        var host = ServiceProcess.text(newest, "host");
        var words = ServiceProcess.text(newest, "title").replaceAll("[^A-Za-z]+", "+");
        var word = words.substring(0, words.indexOf('+'));
        time(service, "jobs", "/jobs");
        time(service, "job", "/jobs/1");
        time(service, "newest", "/jobs/1/pages?limit=50");
        time(service, "deep", "/jobs/1/pages?limit=50&after=" + seq / 2);
        time(service, "oldest", "/jobs/1/pages?limit=50&order=oldest");
        time(service, "oldestDeep", "/jobs/1/pages?limit=50&order=oldest&after=" + seq / 2);
        time(service, "offset", "/jobs/1/pages?limit=50&offset=9950");
        time(service, "words", "/jobs/1/pages?q=" + words);
        time(service, "common", "/jobs/1/pages?q=" + word);
        time(service, "excerpts", "/jobs/1/pages?excerpts=true&limit=20&q=" + word);
        time(service, "host", "/jobs/1/pages?host=" + host);
        time(service, "filtered", "/jobs/1/pages?status=4xx&host=" + host);
        time(service, "filteredOldest", "/jobs/1/pages?status=200&order=oldest");
        time(service, "errors", "/jobs/1/errors");
        time(service, "sites", "/jobs/1/tree");
        time(service, "folder", "/jobs/1/tree?path=http://" + host + "/");
        time(service, "hosts", "/jobs/1/hosts");
        time(service, "page", "/jobs/1/pages/" + seq);
        time(service, "history", "/jobs/1/history");
    }

    private void explanations(ServiceProcess service) throws Exception {
        var page = service.get("/jobs/1/pages?kind=page&limit=1");
        var known = ServiceProcess.text(page, "url");
        time(service, "whyKnown", "/jobs/1/why?url=" + known);
        time(service, "whyUnknown", "/jobs/1/why?url=" + known + "/never/linked.html");
        time(service, "whyOtherHost", "/jobs/1/why?url=http://never-linked.test/");
    }

    /** Prints the times of a call; the first one, which loads classes and files, is separate. */
    private void time(ServiceProcess service, String name, String path) throws Exception {
        figures.put("api." + name + ".firstMillis", service.time(path));
        var times = new ArrayList<Double>();
        for (var i = 0; i < CALLS; i++) {
            times.add(service.time(path));
        }
        Collections.sort(times);
        figures.put("api." + name + ".medianMillis", times.get(CALLS / 2));
        figures.put("api." + name + ".p95Millis", times.get(CALLS * 95 / 100));
        System.err.println(
                "bench: %s: median %.1f ms, 95th of 100 %.1f ms"
                        .formatted(name, times.get(CALLS / 2), times.get(CALLS * 95 / 100)));
    }

    /** Crawls the pages of bench/corpus, then runs small jobs, then all exports. */
    void memory() throws Exception {
        var data = Files.createTempDirectory("orbweaver-bench");
        try (var site = CorpusSite.start(PeersBenchmark.corpus(options));
                var service = ServiceProcess.start(data, List.of(), environment())) {
            Thread.sleep(5_000);
            sample(service, "start");
            var job = service.submit(site.seeds(), FAST);
            service.awaitEnd(job);
            service.awaitIndex(job);
            figures.put("memory.pages", service.pages(job));
            sample(service, "crawled");
            smallJobs(service, site);
            sample(service, "smallJobs");
            export(service, job);
            sample(service, "exported");
            Thread.sleep(IDLE_SECONDS * 1_000);
            sample(service, "idle");
        } finally {
            CrawlProcess.delete(data);
        }
    }

    private static void smallJobs(ServiceProcess service, CorpusSite site) throws Exception {
        var jobs = new ArrayList<Integer>();
        for (var i = 0; i < SMALL_JOBS; i++) {
            var seed = site.seeds().get(i % site.seeds().size());
            jobs.add(
                    service.submit(List.of(seed), FAST + ",\"max-pages\":\"" + SMALL_PAGES + "\""));
        }
        for (var job : jobs) {
            service.awaitEnd(job);
            service.awaitIndex(job);
        }
    }

    private static void export(ServiceProcess service, int job) throws Exception {
        var path = "/jobs/" + job + "/exports";
        var formats = new ArrayList<String>();
        Pattern.compile("\"format\"\\s*:\\s*\"([^\"]+)\"")
                .matcher(service.get(path))
                .results()
                .forEach(format -> formats.add(format.group(1)));
        for (var format : formats) {
            var task = service.post(path, "{\"format\":\"" + format + "\"}");
            var id = ServiceProcess.number(task, "id");
            for (var state = "queued"; !state.equals("ready"); ) {
                Thread.sleep(500);
                state = ServiceProcess.text(service.get(path + "/tasks/" + id), "state");
                if (state.equals("failed")) {
                    throw new IOException("the export to " + format + " failed");
                }
            }
            System.err.println(
                    "bench: after the export to %s %d MB"
                            .formatted(format, service.status("VmRSS") >> 20));
        }
    }

    private void sample(ServiceProcess service, String when) throws Exception {
        var resident = service.status("VmRSS");
        var live = service.liveBytes();
        figures.put("memory." + when + ".rssBytes", resident);
        figures.put("memory." + when + ".peakBytes", service.status("VmHWM"));
        figures.put("memory." + when + ".liveBytes", live);
        figures.put("memory." + when + ".cpuSeconds", service.cpuSeconds());
        System.err.println(
                "bench: %s: resident %d MB, live %d MB"
                        .formatted(when, resident >> 20, live >> 20));
    }

    private record Run(double pages, double seconds, double cpuSeconds) {

        double pagesPerSecond() {
            return pages / seconds;
        }

        double pagesPerCpuSecond() {
            return pages / cpuSeconds;
        }
    }

    /** Crawls the pages of bench/corpus in turns by {@code crawl} and as a job of a service. */
    void speed() throws Exception {
        var directory = Files.createTempDirectory("orbweaver-bench");
        var data = Files.createDirectory(directory.resolve("data"));
        var crawls = new ArrayList<Run>();
        var jobs = new ArrayList<Run>();
        var indexed = new ArrayList<Double>();
        try (var site = CorpusSite.start(PeersBenchmark.corpus(options));
                var service = ServiceProcess.start(data, List.of(), environment())) {
            PeersBenchmark.readAll(PeersBenchmark.corpus(options));
            smallJobs(service, site);
            for (var round = 1; round <= options.number("runs", 3); round++) {
                QuietDisk.await();
                crawls.add(crawl(site, Files.createDirectory(directory.resolve("crawl" + round))));
                QuietDisk.await();
                jobs.add(job(service, site, indexed));
                System.err.println("bench: crawls " + crawls + ", jobs " + jobs);
            }
        } finally {
            CrawlProcess.delete(directory);
        }
        var figure = new LinkedHashMap<String, Double>();
        var ratios = new ArrayList<Double>();
        var cpuRatios = new ArrayList<Double>();
        for (var i = 0; i < jobs.size(); i++) {
            ratios.add(jobs.get(i).pagesPerSecond() / crawls.get(i).pagesPerSecond());
            cpuRatios.add(jobs.get(i).pagesPerCpuSecond() / crawls.get(i).pagesPerCpuSecond());
        }
        figure.put("crawl.pagesPerSecond", median(crawls.stream().map(Run::pagesPerSecond)));
        figure.put("job.pagesPerSecond", median(jobs.stream().map(Run::pagesPerSecond)));
        figure.put("crawl.pagesPerCpuSecond", median(crawls.stream().map(Run::pagesPerCpuSecond)));
        figure.put("job.pagesPerCpuSecond", median(jobs.stream().map(Run::pagesPerCpuSecond)));
        figure.put("job.indexedSeconds", median(indexed.stream()));
        figure.put("ratio", median(ratios.stream()));
        figure.put("cpuRatio", median(cpuRatios.stream()));
        figure.put("pages", jobs.getFirst().pages());
        figure.forEach((name, value) -> figures.put("speed." + name, value));
    }

    private static double median(Stream<Double> values) {
        var sorted = values.sorted().toList();
        return sorted.get(sorted.size() / 2);
    }

    private static Run crawl(CorpusSite site, Path own) throws Exception {
        var seeds = Files.write(own.resolve("seeds.txt"), site.seeds());
        var command =
                List.of(
                        Program.orbweaver(),
                        "crawl",
                        "--seeds",
                        seeds.toString(),
                        "--delay",
                        "0",
                        "--delay-ip",
                        "0",
                        "--concurrency-per-host",
                        "64",
                        "--allow-private",
                        "--contact",
                        "bench@example.org",
                        "--out",
                        "out");
        site.beginRun();
        var usage = ProcessUsage.run(command, own);
        if (usage.exit() != 0) {
            throw new IOException(
                    "the crawl failed: " + Files.readString(own.resolve("output.txt")));
        }
        return new Run(site.fetches().size(), usage.seconds(), usage.cpuSeconds());
    }

    private static Run job(ServiceProcess service, CorpusSite site, List<Double> indexed)
            throws Exception {
        site.beginRun();
        var cpuBefore = service.cpuSeconds();
        var begun = System.nanoTime();
        var job = service.submit(site.seeds(), FAST);
        service.awaitEnd(job);
        var seconds = (System.nanoTime() - begun) / 1e9;
        var cpuSeconds = service.cpuSeconds() - cpuBefore;
        var run = new Run(site.fetches().size(), seconds, cpuSeconds);
        service.awaitIndex(job);
        indexed.add((System.nanoTime() - begun) / 1e9);
        return run;
    }
}
