package dev.orbweaver;

import dev.orbweaver.config.Ceilings;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.RobotsReader;
import dev.orbweaver.config.Settings;
import dev.orbweaver.config.Values;
import dev.orbweaver.fetch.AddressPolicy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What a job may decide for itself, and what is its operator's: where requests may go, what of the
 * machine is used, and how URLs are told apart, which all jobs over one frontier must do alike.
 * What costs memory, CPU, connections or disk a job may lower, but not raise ({@link Ceilings}).
 */
final class JobRules {

    private static final Set<String> OPERATORS =
            Set.of(
                    "allow-private",
                    Settings.ALLOW_ADDRESSES,
                    Settings.ALLOW_ORIGINS,
                    "resolve",
                    "dns",
                    "proxy",
                    "insecure",
                    "exclude-hosts",
                    "max-frontier-disk",
                    "max-queued-urls",
                    "min-free-disk",
                    "disk-patience",
                    "durability",
                    "sort-query",
                    "drop-tracking",
                    "drop-sessions",
                    "drop-parameters",
                    "drop-trailing-slash",
                    "drop-index-file");

    private static final String SOMEWHERE = "http://seed.invalid/";

    private JobRules() {}

    /** Whether a setting is the operator's alone. */
    static boolean isOperators(String key, Settings table) {
        return OPERATORS.contains(key) || table.isOfExtension(key);
    }

    /** What the operator's settings say by themselves. */
    static CrawlConfig operatorOnly(Values settings) throws ConfigException {
        return CrawlConfig.read(
                new Values().putAll(settings).put(Settings.SEEDS, List.of(SOMEWHERE)));
    }

    /**
     * A job's settings as they count: checked, and with what is the operator's to decide.
     *
     * @param everybodys what the operator has set for every job
     */
    static CrawlConfig config(JobRecord job, Values everybodys, boolean allowPrivate)
            throws ConfigException {
        return checked(job.values(), everybodys, allowPrivate);
    }

    /** The settings that a job asks for, with its seeds, likewise. */
    static CrawlConfig checked(Values asked, Values everybodys, boolean allowPrivate)
            throws ConfigException {
        var problems = new ArrayList<String>();
        for (var setting : everybodys.table().all()) {
            var key = setting.key();
            if (asked.has(key) && isOperators(key, everybodys.table())) {
                problems.add(
                        key
                                + " is the operator's to set: start the service with "
                                + (key.equals("allow-private")
                                        ? "--allow-private"
                                        : "--set " + key + "=..."));
            }
        }
        if (asked.list(RobotsReader.KEY).stream().anyMatch(RobotsReader::namesFile)) {
            problems.add("robots takes obey or ignore here, no file of its own");
        }
        if (asked.list("credentials").stream().anyMatch(text -> text.contains("env:"))) {
            problems.add("credentials cannot be taken from the environment of the service");
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        var config =
                CrawlConfig.read(
                        new Values()
                                .putAll(everybodys)
                                .putAll(asked)
                                .putAll(permissions(everybodys, allowPrivate)));
        var exceeded = Ceilings.exceeded(config, operatorOnly(everybodys));
        if (!exceeded.isEmpty()) {
            throw new ConfigException(exceeded);
        }
        refusePrivate(config);
        return config;
    }

    /** Which addresses the operator allows to jobs and their webhooks. */
    static AddressPolicy addresses(Values everybodys, boolean allowPrivate) throws ConfigException {
        return operatorOnly(
                        new Values()
                                .putAll(everybodys)
                                .putAll(permissions(everybodys, allowPrivate)))
                .network()
                .addresses();
    }

    /** A job's seeds are not named by the operator, so they open nothing by themselves. */
    private static Values permissions(Values everybodys, boolean allowPrivate) {
        return new Values()
                .put("allow-private", Boolean.toString(allowPrivate))
                .put(Settings.ALLOW_ORIGINS, everybodys.list(Settings.ALLOW_ORIGINS));
    }

    /** A name is looked up when its turn comes; an address can be judged now. */
    private static void refusePrivate(CrawlConfig config) throws ConfigException {
        for (var seed : config.seeds()) {
            var why =
                    seed.address()
                            .flatMap(
                                    address ->
                                            config.network()
                                                    .addresses()
                                                    .objection(seed.url(), address));
            if (why.isPresent()) {
                throw new ConfigException(
                        List.of(
                                "seeds: %s is %s; the operator can allow it with"
                                                .formatted(seed.url(), why.get())
                                        + " --allow-addresses, or with --allow-private unless"
                                        + " it is link-local or a metadata service"));
            }
        }
    }
}
