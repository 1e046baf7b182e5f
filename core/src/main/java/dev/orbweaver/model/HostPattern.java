package dev.orbweaver.model;

/**
 * Matches hosts by name: {@code example.com} is that one host, {@code *.example.com} all below it,
 * {@code .example.com} both.
 */
public record HostPattern(String name, boolean includesHost, boolean includesSubdomains) {

    public HostPattern {
        if (name.isEmpty()
                || name.startsWith(".")
                || name.contains("*")
                || !(includesHost || includesSubdomains)) {
            throw new IllegalArgumentException("not a host pattern: " + name);
        }
    }

    /** Parses a pattern written by a user; its name is converted to the form used in URLs. */
    public static HostPattern of(String text) {
        if (text.startsWith("*.")) {
            return new HostPattern(text.substring(2), false, true);
        }
        return text.startsWith(".")
                ? new HostPattern(text.substring(1), true, true)
                : new HostPattern(text, true, false);
    }

    public boolean matches(String host) {
        return host.length() == name.length()
                ? includesHost && host.equals(name)
                : includesSubdomains
                        && host.endsWith(name)
                        && host.length() > name.length()
                        && host.charAt(host.length() - name.length() - 1) == '.';
    }

    @Override
    public String toString() {
        return (includesHost ? includesSubdomains ? "." : "" : "*.") + name;
    }
}
