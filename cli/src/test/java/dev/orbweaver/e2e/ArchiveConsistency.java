package dev.orbweaver.e2e;

import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcResponse;
import org.netpreserve.jwarc.WarcRevisit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/** Page log and WARC files tell the same story: every response in one is in the other. */
final class ArchiveConsistency {

    private ArchiveConsistency() {}

    /** One sentence for every line without its record, and every record without its line. */
    static List<String> differences(Path directory, ArchiveReader archiveReader)
            throws IOException {
        var records = new HashMap<String, String>();
        for (var file : archiveReader.warcFiles()) {
            var name = directory.relativize(file).toString();
            try (var reader = new WarcReader(file)) {
                for (var record = reader.next(); record.isPresent(); record = reader.next()) {
                    if (record.get() instanceof WarcResponse response) {
                        records.put(
                                name + "@" + reader.position(),
                                response.http().status() + " " + response.target());
                    } else if (record.get() instanceof WarcRevisit revisit) {
                        records.put(
                                name + "@" + reader.position(),
                                revisit.http().status() + " " + revisit.target());
                    }
                }
            }
        }
        var wrong = new ArrayList<String>();
        for (var entry : archiveReader.entries()) {
            if (!entry.warc().isEmpty()) {
                var record = records.remove(entry.warc() + "@" + entry.offset());
                var line = entry.status() + " " + entry.url();
                if (!line.equals(record)) {
                    wrong.add("the log says %s, the WARC file %s".formatted(line, record));
                }
            }
        }
        records.forEach((where, what) -> wrong.add("no line for " + what + " in " + where));
        return wrong;
    }
}
