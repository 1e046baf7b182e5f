package dev.orbweaver.internal.archive;

import java.util.List;

/** Selects URLs by host and by path prefix. An empty list accepts every host or path. */
public record PageFilter(List<String> hosts, List<String> paths) {

    public static final PageFilter ALL = new PageFilter(List.of(), List.of());

    public PageFilter {
        hosts = List.copyOf(hosts);
        paths = List.copyOf(paths);
    }

    boolean accepts(StoredPage page) {
        return (hosts.isEmpty() || hosts.contains(page.host()))
                && (paths.isEmpty() || paths.stream().anyMatch(page.path()::startsWith));
    }
}
