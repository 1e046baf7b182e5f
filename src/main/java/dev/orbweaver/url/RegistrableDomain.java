package dev.orbweaver.url;

import crawlercommons.domains.EffectiveTldFinder;

/**
 * The registrable domain of a host (public suffix plus one label), by the public suffix list with
 * its private section.
 */
public final class RegistrableDomain {

    private RegistrableDomain() {}

    /**
     * The registrable domain of a serialised host; the host itself where it has none: an address, a
     * single label, a public suffix.
     */
    public static String of(String host) {
        if (host.indexOf('.') <= 0 || host.startsWith("[") || Ipv4.endsInNumber(host)) {
            return host;
        }
        var domain = EffectiveTldFinder.getAssignedDomain(host, false, false);
        return domain == null ? host : domain;
    }
}
