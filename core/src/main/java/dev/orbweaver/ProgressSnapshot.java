package dev.orbweaver;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.RealDisk;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What a crawl tells of itself: every few seconds while it runs, and at its end in its summary.
 *
 * @param secondsByPhase seconds by what hosts with work waited for, added up over hosts
 * @param politenessShare how much of what politeness allows is reached
 * @param allowed requests that may be under way at once, 0 when that is over
 * @param reductionReason why these are fewer than asked for
 */
public record ProgressSnapshot(
        Map<String, Double> secondsByPhase,
        double politenessShare,
        int allowed,
        Optional<String> reductionReason) {

    /** The newest that there are in a crawl's folder. */
    public static Optional<ProgressSnapshot> of(Path directory) throws IOException {
        for (var name : new String[] {ProgressWriter.FILE, CrawlReport.FILE}) {
            var file = directory.resolve(name);
            if (Files.exists(file)) {
                return Optional.of(read(AtomicFile.read(new RealDisk(), file)));
            }
        }
        return Optional.empty();
    }

    private static ProgressSnapshot read(String json) {
        var tree = JsonMapper.shared().readTree(json);
        var waiting = new LinkedHashMap<String, Double>();
        tree.path("secondsByPhase")
                .forEachEntry((phase, time) -> waiting.put(phase, time.asDouble(0)));
        return new ProgressSnapshot(
                waiting,
                tree.path("politenessShare").asDouble(1),
                tree.path("allowed").asInt(0),
                Optional.of(tree.path("reductionReason").asString(""))
                        .filter(why -> !why.isEmpty()));
    }
}
