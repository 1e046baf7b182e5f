package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.HostPattern;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Values by host pattern. A look-up costs one hash access per label of the host's name, however
 * many patterns there are.
 */
final class HostPatternMap<V> {

    private record Entry<V>(int position, V value) {}

    private final Map<String, List<Entry<V>>> exactHosts = new HashMap<>();
    private final Map<String, List<Entry<V>>> parentDomains = new HashMap<>();
    private int size;

    void add(HostPattern pattern, V value) {
        var entry = new Entry<>(size++, value);
        if (pattern.includesHost()) {
            exactHosts.computeIfAbsent(pattern.name(), _ -> new ArrayList<>(1)).add(entry);
        }
        if (pattern.includesSubdomains()) {
            parentDomains.computeIfAbsent(pattern.name(), _ -> new ArrayList<>(1)).add(entry);
        }
    }

    /** Returns the value that was added first of those whose patterns match a host. */
    Optional<V> first(String host) {
        var first = Optional.<Entry<V>>empty();
        for (var matching : matchingLists(host)) {
            var entry = matching.getFirst();
            if (first.isEmpty() || entry.position < first.get().position) {
                first = Optional.of(entry);
            }
        }
        return first.map(Entry::value);
    }

    void forEach(String host, Consumer<V> action) {
        for (var matching : matchingLists(host)) {
            matching.forEach(entry -> action.accept(entry.value));
        }
    }

    private List<List<Entry<V>>> matchingLists(String host) {
        if (size == 0) {
            return List.of();
        }
        var lists = new ArrayList<List<Entry<V>>>(1);
        addIfPresent(lists, exactHosts, host);
        if (!parentDomains.isEmpty()) {
            for (var dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
                addIfPresent(lists, parentDomains, host.substring(dot + 1));
            }
        }
        return lists;
    }

    private static <V> void addIfPresent(
            List<List<Entry<V>>> lists, Map<String, List<Entry<V>>> entries, String name) {
        var found = entries.get(name);
        if (found != null) {
            lists.add(found);
        }
    }
}
