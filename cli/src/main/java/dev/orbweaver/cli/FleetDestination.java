package dev.orbweaver.cli;

import dev.orbweaver.fleet.FleetImport;
import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.imports.crawls.ImportDestination;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.engine.ImportTarget;

import java.io.IOException;
import java.nio.file.Path;

/** A job of a fleet, into which a crawl is imported. */
record FleetDestination(FleetSettings settings, CrawlConfig config, Path directory)
        implements ImportDestination {

    @Override
    public String description() {
        return "the fleet " + settings.fleet();
    }

    @Override
    public boolean isComplete(String id, boolean begun) throws IOException {
        try (var fleet = Fleet.open(settings)) {
            var job = fleet.findByIdempotencyKey(id);
            if (begun && (job.isEmpty() || fleet.job(job.get()).isEmpty())) {
                throw new IOException(
                        "the fleet %s does not have the job of the import in %s any more: it was deleted, or Redis lost its data; delete the directory and import again"
                                .formatted(settings.fleet(), directory));
            }
            if (job.isEmpty() || fleet.isImporting(job.get())) {
                return false;
            }
            fleet.finishImport(job.get(), 0); // The last run may have been killed meanwhile.
            return true;
        }
    }

    @Override
    public ImportTarget open(String id) throws IOException {
        return FleetImport.open(settings, config, directory, id);
    }
}
