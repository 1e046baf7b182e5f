package dev.orbweaver.internal.url;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

import java.nio.charset.Charset;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A URL of any scheme as the WHATWG URL standard parses and serialises it.
 *
 * <p>Every part is in serialised form: escaped ASCII, and an IPv6 host in brackets.
 */
public final class WhatwgUrl {

    private final String scheme;
    private final String username;
    private final String password;
    private final @Nullable String host;
    private final int port;
    private final String path;
    private final boolean opaquePath;
    private final @Nullable String query;
    private final @Nullable String fragment;

    WhatwgUrl(
            String scheme,
            String username,
            String password,
            @Nullable String host,
            int port,
            String path,
            boolean opaquePath,
            @Nullable String query,
            @Nullable String fragment) {
        this.scheme = scheme;
        this.username = username;
        this.password = password;
        this.host = host;
        this.port = port;
        this.path = path;
        this.opaquePath = opaquePath;
        this.query = query;
        this.fragment = fragment;
    }

    /** Parses an absolute URL; empty if the standard's parser fails. */
    public static Optional<WhatwgUrl> parse(String input) {
        return UrlParser.parse(input, null, UTF_8);
    }

    public static Optional<WhatwgUrl> parse(String input, WhatwgUrl base) {
        return UrlParser.parse(input, base, UTF_8);
    }

    /** Parses a reference; the query of a special URL is escaped in the document's encoding. */
    public static Optional<WhatwgUrl> parse(
            String input, WhatwgUrl base, Charset documentEncoding) {
        return UrlParser.parse(input, base, documentEncoding);
    }

    /** Returns the scheme in lower case, without its colon. */
    public String scheme() {
        return scheme;
    }

    public boolean isHttp() {
        return scheme.equals("http") || scheme.equals("https");
    }

    public String username() {
        return username;
    }

    public String password() {
        return password;
    }

    /** Returns the host. Absent and empty are different for schemes that are not special. */
    public Optional<String> host() {
        return Optional.ofNullable(host);
    }

    /** Returns the port; absent if it is the scheme's default. */
    public OptionalInt port() {
        return port == Scheme.NO_PORT ? OptionalInt.empty() : OptionalInt.of(port);
    }

    /** Returns the path: empty, starting with a slash, or opaque. */
    public String path() {
        return path;
    }

    /** Returns whether the path has no segments, as in {@code mailto:} and {@code data:} URLs. */
    public boolean hasOpaquePath() {
        return opaquePath;
    }

    public Optional<String> query() {
        return Optional.ofNullable(query);
    }

    public Optional<String> fragment() {
        return Optional.ofNullable(fragment);
    }

    /** Returns the serialised origin (section 4.7), the text {@code null} for an opaque one. */
    public String origin() {
        return switch (scheme) {
            case "http", "https", "ws", "wss", "ftp" -> scheme + "://" + authority();
            case "blob" ->
                    parse(path).filter(WhatwgUrl::isHttp).map(WhatwgUrl::origin).orElse("null");
            default -> "null";
        };
    }

    /** Returns host and port as in the URL; empty if there is no host. */
    public String authority() {
        if (host == null) {
            return "";
        }
        return port == Scheme.NO_PORT ? host : host + ":" + port;
    }

    public String href() {
        var out = new StringBuilder(64).append(scheme).append(':');
        if (host != null) {
            out.append("//");
            if (!username.isEmpty() || !password.isEmpty()) {
                out.append(username);
                if (!password.isEmpty()) {
                    out.append(':').append(password);
                }
                out.append('@');
            }
            out.append(authority());
        } else if (!opaquePath && path.startsWith("//")) {
            // Otherwise the empty first segment of the path would be parsed as an authority.
            out.append("/.");
        }
        appendPathAndQuery(out);
        if (fragment != null) {
            out.append('#').append(fragment);
        }
        return out.toString();
    }

    /** Returns the URL without credentials and fragment. */
    String requestText() {
        var out = new StringBuilder(64).append(scheme).append("://").append(authority());
        appendPathAndQuery(out);
        return out.toString();
    }

    private void appendPathAndQuery(StringBuilder out) {
        out.append(path);
        if (query != null) {
            out.append('?').append(query);
        }
    }

    @Nullable String hostOrNull() {
        return host;
    }

    int portOrNone() {
        return port;
    }

    @Nullable String queryOrNull() {
        return query;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof WhatwgUrl url && href().equals(url.href());
    }

    @Override
    public int hashCode() {
        return href().hashCode();
    }

    @Override
    public String toString() {
        return href();
    }
}
