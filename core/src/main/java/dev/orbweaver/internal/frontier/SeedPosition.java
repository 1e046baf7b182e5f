package dev.orbweaver.internal.frontier;

import java.util.List;

/**
 * How far a crawl has read a seed list.
 *
 * @param list the name of the list, which identifies it among those of the crawl
 * @param bytes the number of bytes read
 * @param lines the number of lines read
 * @param malformed the number of lines that are not a URL
 */
public record SeedPosition(String list, long bytes, long lines, long malformed) {

    /** Returns the position before the first line. */
    public static SeedPosition start(String list) {
        return new SeedPosition(list, 0, 0, 0);
    }

    /** Returns the position in a list among those that a frontier has stored. */
    public static SeedPosition of(String list, List<SeedPosition> stored) {
        return stored.stream()
                .filter(position -> position.list.equals(list))
                .findFirst()
                .orElseGet(() -> start(list));
    }
}
