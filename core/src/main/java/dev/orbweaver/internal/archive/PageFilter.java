package dev.orbweaver.internal.archive;

import java.util.List;

/** Which URLs are wanted: hosts, and prefixes of paths; any where there are none. */
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
