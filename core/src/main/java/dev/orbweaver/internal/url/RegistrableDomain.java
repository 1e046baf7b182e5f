package dev.orbweaver.internal.url;

/** The registrable domain of a host: public suffix (private section included) plus one label. */
public final class RegistrableDomain {

    private RegistrableDomain() {}

    /** The host itself where it has none: an address, a single label, a public suffix. */
    public static String of(String host) {
        if (host.indexOf('.') <= 0 || host.charAt(0) == '[' || Ipv4.endsInNumber(host)) {
            return host;
        }
        var name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        var start = PublicSuffixList.forHost(name).registrableStart(name);
        return start < 0 || name.charAt(start) == '.' ? host : name.substring(start);
    }
}
