package dev.orbweaver.model;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/** A set of {@link HostPattern}s with a lookup time that does not depend on their number. */
public final class HostSet {

    public static final HostSet NONE = new HostSet(Set.of());

    private final Set<String> exactHosts = new HashSet<>();
    private final Set<String> parentDomains = new HashSet<>();

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

    public boolean isEmpty() {
        return exactHosts.isEmpty() && parentDomains.isEmpty();
    }
}
