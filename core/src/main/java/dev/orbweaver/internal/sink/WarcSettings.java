package dev.orbweaver.internal.sink;

import java.nio.file.Path;
import java.util.Map;

/**
 * How WARC files are written.
 *
 * @param fileBytesMax from which size on a new file is begun
 * @param warcinfoFields what the {@code warcinfo} record says of the crawl
 * @param tempDirectory for records too large for memory
 * @param syncCommits whether every commit is forced to the disk, to survive a loss of power
 */
public record WarcSettings(
        Compression compression,
        long fileBytesMax,
        Map<String, String> warcinfoFields,
        Path tempDirectory,
        boolean syncCommits,
        RecordOptions records) {

    public WarcSettings {
        warcinfoFields = Map.copyOf(warcinfoFields);
    }
}
