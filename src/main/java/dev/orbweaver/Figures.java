package dev.orbweaver;

import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.disk.WholeFile;

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
 * @param waiting seconds by what hosts with work waited for, added up over hosts
 * @param politenessShare how much of what politeness allows is reached
 * @param allowed requests that may be under way at once, 0 when that is over
 * @param narrowedBecause why these are fewer than asked for
 */
public record Figures(
        Map<String, Double> waiting,
        double politenessShare,
        int allowed,
        Optional<String> narrowedBecause) {

    /** The newest that there are in a crawl's folder. */
    public static Optional<Figures> of(Path folder) throws IOException {
        for (var name : new String[] {LiveFigures.FILE, Summary.FILE}) {
            var file = folder.resolve(name);
            if (Files.exists(file)) {
                return Optional.of(read(WholeFile.read(new RealDisk(), file)));
            }
        }
        return Optional.empty();
    }

    private static Figures read(String json) {
        var tree = JsonMapper.shared().readTree(json);
        var waiting = new LinkedHashMap<String, Double>();
        tree.path("waiting").forEachEntry((phase, time) -> waiting.put(phase, time.asDouble(0)));
        return new Figures(
                waiting,
                tree.path("politenessShare").asDouble(1),
                tree.path("allowed").asInt(0),
                Optional.of(tree.path("narrowedBecause").asString(""))
                        .filter(why -> !why.isEmpty()));
    }
}
