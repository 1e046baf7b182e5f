package dev.orbweaver.internal.archive;

import java.util.List;

/**
 * Which URLs are wanted.
 *
 * @param hosts only those of one of these hosts; any when empty
 * @param paths only those whose path begins with one of these; any when empty
 */
public record PageFilter(List<String> hosts, List<String> paths) {

    /** Every URL. */
    public static final PageFilter ALL = new PageFilter(List.of(), List.of());

    /** Keeps the lists unchangeable. */
    public PageFilter {
        hosts = List.copyOf(hosts);
        paths = List.copyOf(paths);
    }

    boolean accepts(StoredPage page) {
        return (hosts.isEmpty() || hosts.contains(page.host()))
                && (paths.isEmpty() || paths.stream().anyMatch(page.path()::startsWith));
    }
}
