package dev.orbweaver.model;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/** Many {@link HostPattern}s at once, asked in the time of a few look-ups however many they are. */
public final class HostSet {

    /** No host. */
    public static final HostSet NONE = new HostSet(Set.of());

    private final Set<String> itself = new HashSet<>();
    private final Set<String> below = new HashSet<>();

    /** The hosts that any of the patterns means. */
    public HostSet(Collection<HostPattern> patterns) {
        for (var pattern : patterns) {
            if (pattern.itself()) {
                itself.add(pattern.name());
            }
            if (pattern.below()) {
                below.add(pattern.name());
            }
        }
    }

    /** Whether a host is among them. */
    public boolean contains(String host) {
        if (itself.contains(host)) {
            return true;
        }
        if (!below.isEmpty()) {
            for (var dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
                if (below.contains(host.substring(dot + 1))) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether no host is. */
    public boolean isEmpty() {
        return itself.isEmpty() && below.isEmpty();
    }
}
