package dev.orbweaver.cli;

import dev.orbweaver.cli.Failure.UsageException;
import dev.orbweaver.frontier.redis.FleetSettings;

import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Where a fleet is, as commands are told. */
final class FleetOptions {

    static final String REDIS = "--redis";
    private static final String FROM_ENVIRONMENT = "env:";
    private static final String VARIABLE = "ORBWEAVER_REDIS";
    private static final String FLEET = "--fleet";
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

    static boolean given(ParseResult arguments) {
        return arguments.hasMatchedOption(REDIS);
    }

    /** The settings for somebody of this name. */
    static FleetSettings settings(ParseResult arguments, String name) {
        var text = arguments.matchedOptionValue(REDIS, FROM_ENVIRONMENT + VARIABLE);
        var uri =
                text.startsWith(FROM_ENVIRONMENT)
                        ? System.getenv()
                                .getOrDefault(text.substring(FROM_ENVIRONMENT.length()), "")
                                .strip()
                        : text;
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
}
