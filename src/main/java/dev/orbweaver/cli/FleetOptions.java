package dev.orbweaver.cli;

import dev.orbweaver.cli.Failure.UsageException;
import dev.orbweaver.frontier.redis.FleetSettings;

import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Where a fleet is, as commands are told. */
final class FleetOptions {

    static final String REDIS = "--redis";
    private static final String FLEET = "--fleet";
    private static final String FLEET_DEFAULT = "orbweaver";

    private FleetOptions() {}

    static OptionSpec redis() {
        return Options.text(
                REDIS,
                "URL",
                "the fleet's Redis: redis://[USER:PASSWORD@]HOST[:PORT], rediss:// with TLS,"
                        + " redis-sentinel://HOST,HOST/?sentinelMasterId=NAME; of a cluster any"
                        + " of its nodes");
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
        if (!given(arguments)) {
            throw new UsageException("--redis is missing: say where the fleet's Redis is");
        }
        try {
            return FleetSettings.of(
                    arguments.matchedOptionValue(REDIS, ""),
                    arguments.matchedOptionValue(FLEET, FLEET_DEFAULT),
                    name);
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }
}
