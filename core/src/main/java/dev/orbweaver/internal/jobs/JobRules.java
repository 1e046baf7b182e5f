package dev.orbweaver.internal.jobs;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.Problem;
import dev.orbweaver.internal.config.CookiesFile;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.OperatorLimits;
import dev.orbweaver.internal.config.Retention;
import dev.orbweaver.internal.config.RobotsReader;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.internal.fetch.AddressPolicy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Defines which settings a job may choose and which only the operator may.
 *
 * <p>The operator decides where requests may go, which resources of the machine are used, and how
 * URLs are compared, which must be the same for all jobs over one frontier. A job may lower, but
 * not raise, settings that cost memory, CPU, connections or disk ({@link OperatorLimits}).
 */
public final class JobRules {

    private static final Set<String> OPERATOR_SETTINGS =
            Set.of(
                    "allow-private",
                    Settings.ALLOW_ADDRESSES,
                    Settings.ALLOW_ORIGINS,
                    Settings.SEED_LISTS,
                    "resolve",
                    "dns-server",
                    "proxy",
                    "insecure",
                    "exclude-hosts",
                    CookiesFile.KEY,
                    Settings.DEDUPE_WITH,
                    Retention.KEY,
                    "max-frontier-disk",
                    "max-queued-urls",
                    "min-free-disk",
                    "max-disk-wait",
                    "durability",
                    "sort-query",
                    "ignore-tracking",
                    "ignore-sessions",
                    "ignore-parameters",
                    "ignore-trailing-slash",
                    "ignore-index-file");

    private static final String PLACEHOLDER_SEED = "http://seed.invalid/";

    private JobRules() {}

    public static boolean isOperatorSetting(String key, Settings table) {
        return OPERATOR_SETTINGS.contains(key) || table.isOfExtension(key);
    }

    /** Returns the operator's settings alone. */
    public static CrawlConfig operatorOnly(SettingValues settings) throws ConfigException {
        var config =
                CrawlConfig.read(
                        new SettingValues()
                                .putAll(settings)
                                .put(Settings.SEEDS, List.of(PLACEHOLDER_SEED)));
        if (!config.warc().retention().equals(Retention.NONE)) {
            throw new ConfigException(
                    Retention.KEY,
                    "retention is not available for jobs of a service or a fleet; start without"
                            + " it");
        }
        return config;
    }

    /**
     * Returns a job's effective settings: validated, and combined with those of the operator.
     *
     * @param operatorSettings the operator's settings for every job
     */
    public static CrawlConfig config(
            JobRecord job, SettingValues operatorSettings, boolean allowPrivate)
            throws ConfigException {
        return validate(job.values(), operatorSettings, allowPrivate);
    }

    /** Returns the settings that a requested job would have. */
    static CrawlConfig config(
            JobRequest request, SettingValues operatorSettings, boolean allowPrivate)
            throws ConfigException {
        var values = YamlFile.parse(request.settings(), "settings", Settings.CORE);
        return validate(
                values.put(Settings.SEEDS, request.seeds()), operatorSettings, allowPrivate);
    }

    static CrawlConfig validate(
            SettingValues jobSettings, SettingValues operatorSettings, boolean allowPrivate)
            throws ConfigException {
        var problems = new ArrayList<Problem>();
        for (var setting : operatorSettings.table().all()) {
            var key = setting.key();
            if (jobSettings.has(key) && isOperatorSetting(key, operatorSettings.table())) {
                problems.add(
                        new Problem(
                                key,
                                key.equals(Retention.KEY)
                                        ? "retention is not available for jobs of a service or a"
                                                + " fleet; leave it out"
                                        : key
                                                + " can only be set by the operator: start the"
                                                + " service with "
                                                + (key.equals("allow-private")
                                                        ? "--allow-private"
                                                        : "--set " + key + "=...")));
            }
        }
        if (jobSettings.list(RobotsReader.KEY).stream().anyMatch(RobotsReader::namesFile)) {
            problems.add(
                    new Problem(
                            RobotsReader.KEY,
                            "robots accepts obey or ignore in a job, not a file"));
        }
        if (jobSettings.list("credentials").stream().anyMatch(text -> text.contains("env:"))) {
            problems.add(
                    new Problem(
                            "credentials",
                            "a job cannot read credentials from the service's environment"));
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        var config =
                CrawlConfig.read(
                        new SettingValues()
                                .putAll(operatorSettings)
                                .putAll(jobSettings)
                                .putAll(permissions(operatorSettings, allowPrivate)));
        var exceeded = OperatorLimits.exceeded(config, operatorOnly(operatorSettings));
        if (!exceeded.isEmpty()) {
            throw new ConfigException(exceeded);
        }
        refusePrivate(config);
        return config;
    }

    /** Returns which addresses the operator allows to jobs and their webhooks. */
    static AddressPolicy addresses(SettingValues operatorSettings, boolean allowPrivate)
            throws ConfigException {
        return operatorOnly(
                        new SettingValues()
                                .putAll(operatorSettings)
                                .putAll(permissions(operatorSettings, allowPrivate)))
                .networkSettings()
                .addresses();
    }

    /**
     * Returns the settings that permit addresses. A job's seeds are not chosen by the operator, so
     * they permit none.
     */
    private static SettingValues permissions(SettingValues operatorSettings, boolean allowPrivate) {
        return new SettingValues()
                .put("allow-private", Boolean.toString(allowPrivate))
                .put(Settings.ALLOW_ORIGINS, operatorSettings.list(Settings.ALLOW_ORIGINS));
    }

    /** Rejects seeds with a private address. A host name is resolved and checked later. */
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
