package dev.orbweaver.internal.fetch;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What requests carry beyond the ordinary, and the way they take. Every request is built for its
 * own URL and redirects are never followed inside, so what belongs to one place cannot reach
 * another.
 *
 * @param headers header fields by host
 * @param credentials by origin, scheme and port included: what is meant for https never goes over
 *     http
 * @param cookies whether cookies are kept and sent back
 * @param proxy through which all connections are made
 */
public record RequestOptions(
        Map<String, List<Header>> headers,
        Map<String, Credential> credentials,
        boolean cookies,
        Optional<Proxy> proxy) {

    /** Nothing of the kind. */
    public static final RequestOptions NONE =
            new RequestOptions(Map.of(), Map.of(), false, Optional.empty());

    /** Keeps the parts unchangeable. */
    public RequestOptions {
        headers = Map.copyOf(headers);
        credentials = Map.copyOf(credentials);
    }

    /** One header field that the user wants sent. */
    public record Header(String name, String value) {

        /** What the fetcher itself must say, or what has a setting of its own. */
        private static final Set<String> RESERVED_NAMES =
                Set.of(
                        "accept",
                        "accept-encoding",
                        "authorization",
                        "connection",
                        "content-length",
                        "cookie",
                        "expect",
                        "host",
                        "keep-alive",
                        "proxy-authorization",
                        "proxy-connection",
                        "te",
                        "trailer",
                        "transfer-encoding",
                        "upgrade",
                        "user-agent");

        /** Nothing in it can begin another line or change how messages are framed. */
        public Header {
            if (!name.matches("[A-Za-z0-9!#$%&'*+.^_`|~-]+")
                    || RESERVED_NAMES.contains(name.toLowerCase(Locale.ROOT))
                    || !isPrintable(value)) {
                throw new IllegalArgumentException("not a header to be set: " + name);
            }
        }

        @Override
        public String toString() {
            return "Header[" + name + ": withheld]";
        }
    }

    /** The value of an Authorization field. It is not for logs, so its text says nothing. */
    public record Credential(String authorization) {

        /** Printable and in one line. */
        public Credential {
            if (authorization.isEmpty() || !isPrintable(authorization)) {
                throw new IllegalArgumentException("a credential is printable ASCII");
            }
        }

        /** User and password (RFC 7617). */
        public static Credential basic(String userAndPassword) {
            var bytes = userAndPassword.getBytes(StandardCharsets.UTF_8);
            return new Credential("Basic " + Base64.getEncoder().encodeToString(bytes));
        }

        /** A token (RFC 6750). */
        public static Credential bearer(String token) {
            return new Credential("Bearer " + token);
        }

        @Override
        public String toString() {
            return "Credential[withheld]";
        }
    }

    /**
     * A proxy that makes tunnels: it is told the address that was looked up and judged, never the
     * name, so it cannot be led elsewhere.
     *
     * @param login user and password, separated by a colon; empty for none
     */
    public record Proxy(Kind kind, String host, int port, String login) {

        /** How a proxy is spoken to. */
        public enum Kind {
            /** By CONNECT (RFC 9110, section 9.3.6), for port 80 as well. */
            HTTP,
            /** SOCKS 4. */
            SOCKS4,
            /** RFC 1928. */
            SOCKS5
        }

        /** Before the colon. */
        String user() {
            var colon = login.indexOf(':');
            return colon < 0 ? login : login.substring(0, colon);
        }

        /** Behind it. */
        String password() {
            return login.substring(Math.min(login.length(), user().length() + 1));
        }

        @Override
        public String toString() {
            return "Proxy[" + kind + " " + host + ":" + port + "]";
        }
    }

    private static boolean isPrintable(String text) {
        return text.chars().allMatch(c -> c >= ' ' && c <= '~');
    }
}
