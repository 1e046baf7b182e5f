package dev.orbweaver;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Seed;
import dev.orbweaver.config.Settings;
import dev.orbweaver.config.YamlFile;
import dev.orbweaver.crawl.Account;
import dev.orbweaver.crawl.Inquiry;
import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.frontier.Explanation;
import dev.orbweaver.frontier.Whereabouts;
import dev.orbweaver.frontier.disk.MarksFile;
import dev.orbweaver.frontier.redis.Fleet;
import dev.orbweaver.frontier.redis.FleetSettings;
import dev.orbweaver.frontier.redis.RedisFrontier;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.scope.RuleScope;
import dev.orbweaver.sink.FleetPart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Why a URL of a fleet's job is where it is. Where it waits or that it is done, Redis says; what
 * was tried and where it was found stands in the workers' logs, as far as their folders can be read
 * from here.
 */
public final class FleetInquiry {

    private static final Account.Parent UNREAD =
            new Account.Parent("a page of a worker whose log was not read", 0, "found", "");

    private final FleetSettings fleet;
    private final JobId job;
    private final List<Path> folders;
    private final Settings table;

    /**
     * An inquiry about a job.
     *
     * @param folders of workers, each as {@code worker --data} named it or the job's within
     */
    public FleetInquiry(FleetSettings fleet, JobId job, List<Path> folders, Settings table) {
        this.table = table;
        this.fleet = fleet;
        this.job = job;
        this.folders = List.copyOf(folders);
    }

    /**
     * Finds out.
     *
     * @param asked the URL as somebody wrote it
     * @return nothing when it is no URL that a crawl could have
     */
    public Optional<Account> why(String asked) throws IOException, ConfigException {
        var config = config();
        var logs = logs();
        // A time that sets no clock back or forward.
        var frontierTime = Instant.EPOCH;
        try (var frontier = RedisFrontier.open(fleet, config.politeness(), frontierTime)) {
            return why(frontier, config, logs, asked);
        }
    }

    /** The same of somebody who works in the fleet. */
    Optional<Account> why(
            RedisFrontier frontier, CrawlConfig config, List<Inquiry.Log> logs, String asked)
            throws IOException {
        var urls = config.keyed(frontier.fingerprintKey()).urls();
        var url = Seed.read(asked, urls).map(Seed::url);
        if (url.isEmpty()) {
            return Optional.empty();
        }
        var refused = frontier.stats(job).refusedByReason();
        var where = frontier.whereabouts(job, url.get(), refused);
        var inquiry =
                new Inquiry(
                        config.crawl(),
                        urls,
                        new RuleScope(config.scope(), new HashSet<>(where.seeds())),
                        config.politeness(),
                        where,
                        new RealDisk(),
                        logs,
                        HostSet.NONE,
                        url.get());
        return Optional.of(inquiry.account(asked, Instant.now()))
                .map(account -> isElsewhere(where, account) ? elsewhere(account) : account);
    }

    /** Whether it is settled, but by none of those whose logs were read. */
    private static boolean isElsewhere(Whereabouts where, Account account) {
        return where.state() instanceof Explanation.Settled && account.attempts().isEmpty();
    }

    private static Account elsewhere(Account account) {
        return new Account(
                account.url(),
                account.normalForm(),
                account.steps(),
                Account.State.DONE,
                "it is settled; what came of it is in the log of a worker that was not read",
                account.parent().or(() -> Optional.of(UNREAD)),
                account.depth(),
                account.scope(),
                account.inScope(),
                account.robots().elsewhere(),
                account.queue(),
                account.attempts());
    }

    private CrawlConfig config() throws IOException, ConfigException {
        try (var all = Fleet.open(fleet)) {
            var found = all.job(job).orElseThrow(() -> new NoSuchJobException(job));
            var what = "the settings of job " + job.number();
            return CrawlConfig.read(YamlFile.parse(found.settings(), what, table));
        }
    }

    List<Inquiry.Log> logs() throws IOException {
        var logs = new ArrayList<Inquiry.Log>();
        for (var given : folders) {
            var within = given.resolve(FleetWorker.JOBS).resolve(Integer.toString(job.number()));
            var folder = Files.isDirectory(within) ? within : given;
            var part =
                    FleetPart.of(folder)
                            .filter(it -> it.job().equals(fleet.fleet() + "/" + job.number()))
                            .orElseThrow(
                                    () ->
                                            new IOException(
                                                    "%s is no worker's folder with anything of job"
                                                                    .formatted(given)
                                                            + " "
                                                            + job.number()
                                                            + ": name what its --data names"));
            logs.add(Inquiry.Log.of(folder, part.number(), MarksFile.read(new RealDisk(), folder)));
        }
        return logs;
    }
}
