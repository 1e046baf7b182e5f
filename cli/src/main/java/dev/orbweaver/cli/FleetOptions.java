package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.OverflowStore;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.ScopeType;

import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** The options that select a fleet. */
final class FleetOptions {

    static final String REDIS = "--redis";
    private static final String FROM_ENVIRONMENT = "env:";
    private static final String VARIABLE = "ORBWEAVER_REDIS";
    static final String FLEET = "--fleet";
    private static final String OVERFLOW = "--overflow";
    private static final String FLEET_DEFAULT = "orbweaver";

    private FleetOptions() {}

    static OptionSpec redis() {
        return Options.text(
                REDIS,
                "URL",
                "URL of the fleet's Redis: redis://[USER:PASSWORD@]HOST[:PORT], rediss://... with"
                        + " TLS, redis-sentinel://HOST,HOST/?sentinelMasterId=NAME, or any node of"
                        + " a cluster; env:NAME reads the URL from the environment and keeps the"
                        + " password out of the process list ('worker' and 'fleet' default to"
                        + " env:ORBWEAVER_REDIS)");
    }

    static OptionSpec fleet() {
        return Options.text(
                FLEET, "NAME", "name of the fleet, if Redis serves several (default: orbweaver)");
    }

    static boolean isGiven(ParseResult arguments) {
        return arguments.hasMatchedOption(REDIS);
    }

    static FleetSettings settings(ParseResult arguments, String name) {
        var text = arguments.matchedOptionValue(REDIS, FROM_ENVIRONMENT + VARIABLE);
        var uri =
                text.startsWith(FROM_ENVIRONMENT)
                        ? System.getenv()
                                .getOrDefault(text.substring(FROM_ENVIRONMENT.length()), "")
                                .strip()
                        : text;
        if (uri.isEmpty() && arguments.hasMatchedOption(REDIS)) {
            throw new UsageException(
                    "--redis %s: environment variable %s is not set"
                            .formatted(text, text.substring(FROM_ENVIRONMENT.length())));
        }
        if (uri.isEmpty()) {
            throw new UsageException(
                    "--redis is missing: the URL of the fleet's Redis, here or in the environment"
                            + " variable ORBWEAVER_REDIS");
        }
        try {
            return FleetSettings.of(uri, arguments.matchedOptionValue(FLEET, FLEET_DEFAULT), name);
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    /** Fails for a scope of directories, because workers share only the hosts of seed lists. */
    static void requireScopeOfHosts(CrawlConfig config) {
        if (config.scope().scopeType() == ScopeType.PATH) {
            throw new UsageException(
                    "--scope path takes at most %s seeds in a fleet, as arguments or in a short --seeds file; use --scope host and --include"
                            .formatted(Numbers.count(SeedsFile.SHORT_MAX)));
        }
    }

    static PositionalParamSpec job() {
        return Options.parameter(0, "JOB", "number of the job");
    }

    static JobId job(ParseResult arguments) {
        var text = arguments.matchedPositionalValue(0, "");
        try {
            return new JobId(Integer.parseInt(text));
        } catch (NumberFormatException e) {
            throw new UsageException("JOB: expected a number, not '" + text + "'");
        }
    }

    /** The overflow directory, for commands that only read it. */
    static OptionSpec overflow() {
        return Options.text(OVERFLOW, "DIR", "directory that the workers use as --overflow");
    }

    static FleetSettings withOverflow(ParseResult arguments, FleetSettings settings) {
        return arguments.hasMatchedOption(OVERFLOW)
                ? settings.withOverflowStore(
                        new OverflowStore.InFiles(
                                Directories.parse(arguments.matchedOptionValue(OVERFLOW, "")), 0))
                : settings;
    }
}
