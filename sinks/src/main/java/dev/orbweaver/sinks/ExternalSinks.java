package dev.orbweaver.sinks;

import static java.util.stream.Collectors.toMap;

import dev.orbweaver.internal.archive.CommittedCrawl;
import dev.orbweaver.internal.sink.FleetPart;
import dev.orbweaver.internal.sink.SinkFollowers;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.model.SinkCounts;
import dev.orbweaver.sinks.mongo.MongoSink;
import dev.orbweaver.sinks.s3.S3Sink;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** The MongoDB and S3 sinks of a crawl. */
final class ExternalSinks implements SinkFollowers {

    /** How long a sink may make no progress after the crawl has ended. */
    private static final Duration STALL_MAX = Duration.ofSeconds(30);

    private final List<SinkRunner> sinkRunners;

    private ExternalSinks(List<SinkRunner> sinkRunners) {
        this.sinkRunners = sinkRunners;
    }

    /** Starts the configured sinks. Without any this does nothing and loads no driver. */
    static SinkFollowers start(SinkSettings settings, CommittedCrawl committed) throws IOException {
        var sinkRunners = new ArrayList<SinkRunner>();
        if (settings.isEnabled()) {
            var crawl = committed.directory();
            var files =
                    new CrawlFiles(
                            crawl,
                            JobName.loadOrCreate(crawl),
                            FleetPart.read(crawl),
                            committed.committedLengths(),
                            committed.urls(),
                            committed.tombstones());
            var mongodb = settings.mongodb().map(sink -> new MongoSink(sink, files));
            mongodb.ifPresent(sink -> sinkRunners.add(new SinkRunner(sink, crawl)));
            // The S3 sink must not remove files that the database has yet to read.
            LongSupplier takenOver =
                    () -> mongodb.map(sink -> sink.progress().done()).orElse(Long.MAX_VALUE);
            settings.s3()
                    .map(sink -> new S3Sink(sink, files, takenOver))
                    .ifPresent(sink -> sinkRunners.add(new SinkRunner(sink, crawl)));
        }
        sinkRunners.forEach(SinkRunner::start);
        return new ExternalSinks(List.copyOf(sinkRunners));
    }

    @Override
    public List<SinkStatus> status() {
        return sinkRunners.stream().map(SinkRunner::status).toList();
    }

    @Override
    public Map<String, SinkCounts> counts() {
        return sinkRunners.stream().collect(toMap(SinkRunner::name, SinkRunner::counts));
    }

    @Override
    public List<SinkStatus> finish() throws InterruptedException {
        var ended = new ArrayList<SinkStatus>();
        for (var sinkRunner : sinkRunners) {
            ended.add(sinkRunner.finish(STALL_MAX));
        }
        return ended;
    }
}
