package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.OverflowStore;
import dev.orbweaver.model.JobId;

import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** The options that say where a fleet is. */
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
                "the fleet's Redis, or env:NAME to keep its password out of the list of processes"
                    + " (worker and fleet take ORBWEAVER_REDIS by default):"
                    + " redis://[USER:PASSWORD@]HOST[:PORT], rediss:// with TLS,"
                    + " redis-sentinel://HOST,HOST/?sentinelMasterId=NAME; of a cluster any of its"
                    + " nodes");
    }

    static OptionSpec fleet() {
        return Options.text(
                FLEET, "NAME", "the fleet's name, where Redis has several; default: orbweaver");
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
                    "--redis %s: the environment has no %s"
                            .formatted(text, text.substring(FROM_ENVIRONMENT.length())));
        }
        if (uri.isEmpty()) {
            throw new UsageException(
                    "--redis is missing: say where the fleet's Redis is, or have the environment"
                            + " say it (ORBWEAVER_REDIS)");
        }
        try {
            return FleetSettings.of(uri, arguments.matchedOptionValue(FLEET, FLEET_DEFAULT), name);
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    static PositionalParamSpec job() {
        return Options.parameter(0, "JOB", "the job's number");
    }

    static JobId job(ParseResult arguments) {
        var text = arguments.matchedPositionalValue(0, "");
        try {
            return new JobId(Integer.parseInt(text));
        } catch (NumberFormatException e) {
            throw new UsageException("a job is named by its number, not '" + text + "'");
        }
    }

    /** Where the fleet keeps what Redis is not to hold, for somebody who only reads it. */
    static OptionSpec overflow() {
        return Options.text(
                OVERFLOW, "DIR", "where the fleet's workers keep what Redis is not to hold");
    }

    static FleetSettings withOverflow(ParseResult arguments, FleetSettings settings) {
        return arguments.hasMatchedOption(OVERFLOW)
                ? settings.withOverflowStore(
                        new OverflowStore.InFiles(
                                Directories.parse(arguments.matchedOptionValue(OVERFLOW, "")), 0))
                : settings;
    }
}
