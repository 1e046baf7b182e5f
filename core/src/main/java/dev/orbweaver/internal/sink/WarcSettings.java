package dev.orbweaver.internal.sink;

import java.nio.file.Path;
import java.util.Map;

/**
 * How WARC files are written.
 *
 * @param fileBytesMax the size at which a new file is started
 * @param warcinfoFields the fields of the {@code warcinfo} record
 * @param tempDirectory for records too large for memory
 * @param syncCommits whether every commit is synced to the disk, to survive a loss of power
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
