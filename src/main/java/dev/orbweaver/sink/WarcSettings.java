package dev.orbweaver.sink;

import java.nio.file.Path;
import java.util.Map;

/**
 * How WARC files are written.
 *
 * @param fileBytesMax from which size on a new file is begun
 * @param info what the {@code warcinfo} record says of the crawl
 * @param temporary the folder for records too large for memory
 * @param synced whether every commit is forced to the disk, to survive a loss of power
 */
public record WarcSettings(
        Compression compression,
        long fileBytesMax,
        Map<String, String> info,
        Path temporary,
        boolean synced,
        RecordOptions records) {

    /** Keeps the parts unchangeable. */
    public WarcSettings {
        info = Map.copyOf(info);
    }

    /** With the usual records. */
    public WarcSettings(
            Compression compression,
            long fileBytesMax,
            Map<String, String> info,
            Path temporary,
            boolean synced) {
        this(compression, fileBytesMax, info, temporary, synced, RecordOptions.DEFAULT);
    }
}
