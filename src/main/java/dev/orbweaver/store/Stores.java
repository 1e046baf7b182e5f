package dev.orbweaver.store;

import static java.util.stream.Collectors.toMap;

import dev.orbweaver.archive.CommittedCrawl;
import dev.orbweaver.model.SinkCounts;
import dev.orbweaver.sink.FleetPart;
import dev.orbweaver.sink.SinkFollowers;
import dev.orbweaver.sink.StoreStatus;
import dev.orbweaver.store.mongo.MongoStore;
import dev.orbweaver.store.s3.S3Store;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** All stores of a crawl. */
final class Stores implements SinkFollowers {

    /** For so long nothing may move once the crawl is over. */
    private static final Duration STALL_MAX = Duration.ofSeconds(30);

    private final List<Follower> followers;

    private Stores(List<Follower> followers) {
        this.followers = followers;
    }

    /**
     * Starts to follow a crawl. Without stores this does nothing, and touches no library of theirs.
     */
    static SinkFollowers start(StoreSettings settings, CommittedCrawl committed)
            throws IOException {
        var followers = new ArrayList<Follower>();
        if (settings.any()) {
            var crawl = committed.folder();
            var files =
                    new CrawlFiles(
                            crawl,
                            JobName.of(crawl),
                            FleetPart.of(crawl),
                            committed.marks(),
                            committed.urls(),
                            committed.tombstones());
            var mongodb = settings.mongodb().map(wish -> new MongoStore(wish, files));
            mongodb.ifPresent(store -> followers.add(new Follower(store, crawl)));
            // The bucket must not take away what the database has yet to read.
            LongSupplier takenOver =
                    () -> mongodb.map(store -> store.progress().done()).orElse(Long.MAX_VALUE);
            settings.s3()
                    .map(wish -> new S3Store(wish, files, takenOver))
                    .ifPresent(store -> followers.add(new Follower(store, crawl)));
        }
        followers.forEach(Follower::start);
        return new Stores(List.copyOf(followers));
    }

    @Override
    public List<StoreStatus> status() {
        return followers.stream().map(Follower::status).toList();
    }

    @Override
    public Map<String, SinkCounts> counts() {
        return followers.stream().collect(toMap(Follower::name, Follower::counts));
    }

    @Override
    public List<StoreStatus> finish() throws InterruptedException {
        var ended = new ArrayList<StoreStatus>();
        for (var follower : followers) {
            ended.add(follower.finish(STALL_MAX));
        }
        return ended;
    }
}
