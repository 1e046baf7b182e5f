package dev.orbweaver.internal.url;

/**
 * Computes the registrable domain of a host: public suffix (private section included) plus one
 * label.
 */
public final class RegistrableDomain {

    private RegistrableDomain() {}

    /**
     * Returns the host itself if it has no registrable domain: an address, a single label, a public
     * suffix.
     */
    public static String of(String host) {
        if (host.indexOf('.') <= 0 || host.charAt(0) == '[' || Ipv4.endsInNumber(host)) {
            return host;
        }
        var name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        var start = PublicSuffixList.forHost(name).registrableStart(name);
        return start < 0 || name.charAt(start) == '.' ? host : name.substring(start);
    }

    /**
     * Whether the public suffix list names this host. A single label that is not in the list, such
     * as {@code localhost}, is none.
     */
    public static boolean isPublicSuffix(String host) {
        var name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        return PublicSuffixList.forHost(name).isListed(name);
    }
}
