package dev.orbweaver.store;

import static java.util.stream.Collectors.toMap;

import dev.orbweaver.export.AnswerReader;
import dev.orbweaver.export.Tombstones;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.SinkCounts;
import dev.orbweaver.store.mongo.MongoStore;
import dev.orbweaver.store.s3.S3Store;
import dev.orbweaver.url.CrawlUrls;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** All stores of a crawl. */
public final class Stores {

    /** For so long nothing may move once the crawl is over. */
    private static final Duration STALL_MAX = Duration.ofSeconds(30);

    /** The directory in a crawl's directory for what stores need. */
    public static final String FOLDER = "sinks";

    private final List<Follower> followers;

    private Stores(List<Follower> followers) {
        this.followers = followers;
    }

    /** Where in a crawl's folder it is kept what stores need. */
    public static Path folder(Path crawl) {
        return crawl.resolve(FOLDER);
    }

    /**
     * Starts to follow a crawl. Without stores this does nothing, and touches no library of theirs.
     */
    public static Stores start(
            StoreSettings settings,
            Path crawl,
            Supplier<List<FileMark>> marks,
            CrawlUrls urls,
            AnswerReader answers,
            Tombstones tombstones)
            throws IOException {
        var followers = new ArrayList<Follower>();
        if (settings.any()) {
            var files =
                    new CrawlFiles(
                            crawl,
                            JobName.of(crawl),
                            FleetPart.of(crawl),
                            marks,
                            urls,
                            answers,
                            tombstones);
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

    /** How they stand. */
    public List<StoreStatus> status() {
        return followers.stream().map(Follower::status).toList();
    }

    /** What they have done, by name. */
    public Map<String, SinkCounts> counts() {
        return followers.stream().collect(toMap(Follower::name, Follower::counts));
    }

    /** Lets them take over the rest, and says how far they came. */
    public List<StoreStatus> finish() throws InterruptedException {
        var ended = new ArrayList<StoreStatus>();
        for (var follower : followers) {
            ended.add(follower.finish(STALL_MAX));
        }
        return ended;
    }
}
