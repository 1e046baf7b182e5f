package dev.orbweaver.internal.fetch;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Optional parts of requests, and their proxy. Every request is built for its own URL and redirects
 * are not followed, so values for one site cannot reach another.
 *
 * @param headers header fields by host
 * @param credentials by origin: what is meant for https never goes over http
 * @param cookies whether cookies are kept and sent back
 * @param fileCookies cookies of the user's file, sent with and without {@code cookies}
 */
public record RequestOptions(
        Map<String, List<Header>> headers,
        Map<String, Credential> credentials,
        boolean cookies,
        List<Cookie> fileCookies,
        Optional<Proxy> proxy) {

    public static final RequestOptions NONE =
            new RequestOptions(Map.of(), Map.of(), false, Optional.empty());

    public RequestOptions {
        headers = Map.copyOf(headers);
        credentials = Map.copyOf(credentials);
        fileCookies = List.copyOf(fileCookies);
    }

    public RequestOptions(
            Map<String, List<Header>> headers,
            Map<String, Credential> credentials,
            boolean cookies,
            Optional<Proxy> proxy) {
        this(headers, credentials, cookies, List.of(), proxy);
    }

    public RequestOptions withFileCookies(List<Cookie> given) {
        return new RequestOptions(headers, credentials, cookies, given, proxy);
    }

    /** A header field set by the user. */
    public record Header(String name, String value) {

        /** Fields that the fetcher sets, or that have a setting of their own. */
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

        /** Rejects characters that could start another line or change the framing of messages. */
        public Header {
            if (!name.matches("[A-Za-z0-9!#$%&'*+.^_`|~-]+")
                    || RESERVED_NAMES.contains(name.toLowerCase(Locale.ROOT))
                    || !isPrintable(value)) {
                throw new IllegalArgumentException(
                        "invalid or reserved header name, or a value that is not printable ASCII: "
                                + name);
            }
        }

        @Override
        public String toString() {
            return "Header[" + name + ": withheld]";
        }
    }

    /** The value of an Authorization field; {@code toString} does not show it. */
    public record Credential(String authorization) {

        public Credential {
            if (authorization.isEmpty() || !isPrintable(authorization)) {
                throw new IllegalArgumentException(
                        "a credential must be printable ASCII and not empty");
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
     * A proxy that opens tunnels to addresses, never to names.
     *
     * @param login user and password, separated by a colon; empty for none
     */
    public record Proxy(Kind kind, String host, int port, String login) {

        public enum Kind {
            /** By CONNECT (RFC 9110, section 9.3.6), for port 80 as well. */
            HTTP,
            SOCKS4,
            /** RFC 1928. */
            SOCKS5
        }

        String user() {
            var colon = login.indexOf(':');
            return colon < 0 ? login : login.substring(0, colon);
        }

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
