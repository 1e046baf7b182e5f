package dev.orbweaver.internal.jobs;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.OperatorLimits;
import dev.orbweaver.config.Problem;
import dev.orbweaver.config.RobotsReader;
import dev.orbweaver.config.SettingValues;
import dev.orbweaver.config.Settings;
import dev.orbweaver.internal.fetch.AddressPolicy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What a job may decide, and what only its operator may: where requests may go, what of the machine
 * is used, and how URLs are compared, which must be the same for all jobs over one frontier. A job
 * may lower, but not raise, what costs memory, CPU, connections or disk ({@link OperatorLimits}).
 */
public final class JobRules {

    private static final Set<String> OPERATOR_SETTINGS =
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

    private static final String PLACEHOLDER_SEED = "http://seed.invalid/";

    private JobRules() {}

    public static boolean isOperatorSetting(String key, Settings table) {
        return OPERATOR_SETTINGS.contains(key) || table.isOfExtension(key);
    }

    /** The operator's settings alone. */
    public static CrawlConfig operatorOnly(SettingValues settings) throws ConfigException {
        return CrawlConfig.read(
                new SettingValues()
                        .putAll(settings)
                        .put(Settings.SEEDS, List.of(PLACEHOLDER_SEED)));
    }

    /**
     * A job's effective settings: validated, and with those of the operator.
     *
     * @param everybodys what the operator has set for every job
     */
    public static CrawlConfig config(JobRecord job, SettingValues everybodys, boolean allowPrivate)
            throws ConfigException {
        return validate(job.values(), everybodys, allowPrivate);
    }

    static CrawlConfig validate(SettingValues asked, SettingValues everybodys, boolean allowPrivate)
            throws ConfigException {
        var problems = new ArrayList<Problem>();
        for (var setting : everybodys.table().all()) {
            var key = setting.key();
            if (asked.has(key) && isOperatorSetting(key, everybodys.table())) {
                problems.add(
                        new Problem(
                                key,
                                key
                                        + " is the operator's to set: start the service with "
                                        + (key.equals("allow-private")
                                                ? "--allow-private"
                                                : "--set " + key + "=...")));
            }
        }
        if (asked.list(RobotsReader.KEY).stream().anyMatch(RobotsReader::namesFile)) {
            problems.add(
                    new Problem(
                            RobotsReader.KEY,
                            "robots takes obey or ignore here, no file of its own"));
        }
        if (asked.list("credentials").stream().anyMatch(text -> text.contains("env:"))) {
            problems.add(
                    new Problem(
                            "credentials",
                            "credentials cannot be taken from the environment of the service"));
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        var config =
                CrawlConfig.read(
                        new SettingValues()
                                .putAll(everybodys)
                                .putAll(asked)
                                .putAll(permissions(everybodys, allowPrivate)));
        var exceeded = OperatorLimits.exceeded(config, operatorOnly(everybodys));
        if (!exceeded.isEmpty()) {
            throw new ConfigException(exceeded);
        }
        refusePrivate(config);
        return config;
    }

    /** Which addresses the operator allows to jobs and their webhooks. */
    static AddressPolicy addresses(SettingValues everybodys, boolean allowPrivate)
            throws ConfigException {
        return operatorOnly(
                        new SettingValues()
                                .putAll(everybodys)
                                .putAll(permissions(everybodys, allowPrivate)))
                .networkSettings()
                .addresses();
    }

    /** A job's seeds are not chosen by the operator, so they permit no addresses. */
    private static SettingValues permissions(SettingValues everybodys, boolean allowPrivate) {
        return new SettingValues()
                .put("allow-private", Boolean.toString(allowPrivate))
                .put(Settings.ALLOW_ORIGINS, everybodys.list(Settings.ALLOW_ORIGINS));
    }

    /** A name is looked up later; an address can be checked now. */
    private static void refusePrivate(CrawlConfig config) throws ConfigException {
        for (var seed : config.seeds()) {
            var why =
                    seed.address()
                            .flatMap(
                                    address ->
                                            config.networkSettings()
                                                    .addresses()
                                                    .refusalReason(seed.url(), address));
            if (why.isPresent()) {
                throw new ConfigException(
                        Settings.SEEDS,
                        "seeds: %s is %s; the operator can allow it with"
                                        .formatted(seed.url(), why.get())
                                + " --allow-addresses, or with --allow-private unless"
                                + " it is link-local or a metadata service");
            }
        }
    }
}
