package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.model.JobId;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.util.Optional;

/** {@code orbweaver fleet seed JOB URL...}: adds URLs to a job of a fleet, or removes them. */
record FleetSeedCommand(Terminal terminal) implements Command {

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new FleetSeedCommand(terminal)
                        .describe(
                                "seed",
                                "Add URLs to a job of a fleet, or remove them before they are"
                                        + " fetched.",
                                "The workers read them within seconds. A job that has ended"
                                        + " continues. URLs that the job has seen are not fetched"
                                        + " again.");
        spec.addPositional(FleetOptions.job());
        SeedCommand.addOptions(spec);
        spec.addOption(FleetOptions.redis());
        spec.addOption(FleetOptions.fleet());
        spec.addOption(Options.quiet());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        var id = FleetOptions.job(arguments);
        var quiet = arguments.hasMatchedOption(Options.QUIET);
        try (var fleet = Fleet.open(FleetOptions.settings(arguments, "observer"));
                var pending = new PendingSeeds(terminal, quiet, Optional.empty())) {
            var job = fleet.job(id);
            if (job.isEmpty()) {
                throw noJob(arguments);
            }
            if (arguments.hasMatchedOption(SeedCommand.REMOVE)) {
                return remove(arguments, fleet, id);
            }
            var config =
                    CrawlConfig.read(
                            YamlFile.parse(
                                    job.get().settings(),
                                    "the settings of job " + id.number(),
                                    Modules.SETTINGS));
            FleetOptions.requireScopeOfHosts(config);
            var added = SeedCommand.add(arguments, config, pending, terminal);
            for (var seedFile : pending.seedFiles(added.file())) {
                if (!fleet.addSeeds(id, seedFile)) {
                    throw noJob(arguments);
                }
            }
            if (!quiet) {
                terminal.print(
                        "job %d: added %s; the workers read them within seconds"
                                .formatted(
                                        id.number(),
                                        added.urls() == 0
                                                ? "the lists"
                                                : Numbers.count(added.urls(), "URL")));
                terminal.out().flush();
            }
        }
        return ExitCode.COMPLETE.code();
    }

    private int remove(ParseResult arguments, Fleet fleet, JobId id) throws IOException {
        var urls = SeedCommand.removed(arguments);
        if (!fleet.removeSeeds(id, urls)) {
            throw noJob(arguments);
        }
        if (!arguments.hasMatchedOption(Options.QUIET)) {
            terminal.print(
                    "job %d: removed %s; the workers see the change within seconds"
                            .formatted(id.number(), Numbers.count(urls.size(), "URL")));
            terminal.out().flush();
        }
        return ExitCode.COMPLETE.code();
    }

    private static UsageException noJob(ParseResult arguments) {
        return new UsageException(
                "no job %d; '%s' lists the jobs"
                        .formatted(FleetOptions.job(arguments).number(), CommandHint.of("fleet")));
    }
}
