package dev.orbweaver.model;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/** Many {@link HostPattern}s at once, asked in the time of a few look-ups however many they are. */
public final class HostSet {

    /** No host. */
    public static final HostSet NONE = new HostSet(Set.of());

    private final Set<String> exactHosts = new HashSet<>();
    private final Set<String> parentDomains = new HashSet<>();

    /** The hosts that any of the patterns means. */
    public HostSet(Collection<HostPattern> patterns) {
        for (var pattern : patterns) {
            if (pattern.includesHost()) {
                exactHosts.add(pattern.name());
            }
            if (pattern.includesSubdomains()) {
                parentDomains.add(pattern.name());
            }
        }
    }

    /** Whether a host is among them. */
    public boolean contains(String host) {
        if (exactHosts.contains(host)) {
            return true;
        }
        if (!parentDomains.isEmpty()) {
            for (var dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
                if (parentDomains.contains(host.substring(dot + 1))) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether no host is. */
    public boolean isEmpty() {
        return exactHosts.isEmpty() && parentDomains.isEmpty();
    }
}
