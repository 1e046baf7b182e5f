package dev.orbweaver.internal.url;

import org.jspecify.annotations.Nullable;

import java.nio.charset.Charset;
import java.util.Optional;

/**
 * The basic URL parser of the URL standard (section 4.4), without state override.
 *
 * <p>The standard defines a state machine that processes one code point at a time. This parser
 * splits the input instead. In every state the first {@code #} starts the fragment and the first
 * {@code ?} before it the query, so both are removed first. The rest, the body, is a scheme, an
 * authority and a path. Each method below is named after a state of the standard. A method returns
 * false on a failure; validation errors that are not failures are not reported.
 *
 * <p>The path is kept as text. Its segments are the texts after each slash, so the empty list is
 * the empty text and shortening the list truncates at the last slash. Every character is appended
 * and removed at most once, which keeps {@code ../../..} linear.
 */
final class UrlParser {

    private final String body;
    private final @Nullable String queryText;
    private final @Nullable String fragmentText;
    private final @Nullable WhatwgUrl base;
    private final Charset encoding;

    private String scheme = "";
    private boolean special;
    private String username = "";
    private String password = "";
    private @Nullable String host;
    private int port = Scheme.NO_PORT;
    private final StringBuilder path = new StringBuilder();
    private boolean opaquePath;
    private @Nullable String inheritedQuery;

    private UrlParser(String input, @Nullable WhatwgUrl base, Charset encoding) {
        var text = InputText.clean(input);
        var hash = text.indexOf('#');
        var beforeFragment = hash < 0 ? text : text.substring(0, hash);
        var mark = beforeFragment.indexOf('?');
        this.fragmentText = hash < 0 ? null : text.substring(hash + 1);
        this.queryText = mark < 0 ? null : beforeFragment.substring(mark + 1);
        this.body = mark < 0 ? beforeFragment : beforeFragment.substring(0, mark);
        this.base = base;
        this.encoding = encoding;
    }

    static Optional<WhatwgUrl> parse(String input, @Nullable WhatwgUrl base, Charset encoding) {
        var parser = new UrlParser(input, base, encoding);
        return parser.schemeStart() ? Optional.of(parser.result()) : Optional.empty();
    }

    private WhatwgUrl result() {
        return new WhatwgUrl(
                scheme,
                username,
                password,
                host,
                port,
                path.toString(),
                opaquePath,
                queryText == null ? inheritedQuery : encodedQuery(queryText),
                fragmentText == null ? null : PercentEncodeSet.FRAGMENT.encode(fragmentText));
    }

    private String encodedQuery(String text) {
        var set = special ? PercentEncodeSet.SPECIAL_QUERY : PercentEncodeSet.QUERY;
        return Scheme.encodesQueryAsDocument(scheme)
                ? QueryEncoding.encode(text, set, encoding)
                : set.encode(text);
    }

    private boolean schemeStart() {
        var colon = Scheme.end(body);
        if (colon < 0) {
            return base != null && noScheme(base);
        }
        useScheme(Ascii.lowerCase(body.substring(0, colon)));
        var at = colon + 1;
        if (scheme.equals("file")) {
            return file(at);
        }
        if (special) {
            var sameScheme = base != null && base.scheme().equals(scheme);
            if (base != null && sameScheme && !body.startsWith("//", at)) {
                return relative(at, base);
            }
            return authority(afterSlashes(at));
        }
        if (body.startsWith("//", at)) {
            return authority(at + 2);
        }
        if (body.startsWith("/", at)) {
            path(at + 1);
        } else {
            opaquePath(at);
        }
        return true;
    }

    private void useScheme(String name) {
        scheme = name;
        special = Scheme.isSpecial(name);
    }

    private boolean noScheme(WhatwgUrl base) {
        useScheme(base.scheme());
        if (base.hasOpaquePath()) {
            path.append(base.path());
            opaquePath = true;
            inheritedQuery = base.queryOrNull();
            return body.isEmpty() && queryText == null && fragmentText != null;
        }
        return scheme.equals("file") ? file(0) : relative(0, base);
    }

    private boolean relative(int at, WhatwgUrl base) {
        if (isSlash(at)) {
            if (isSlash(at + 1)) {
                return authority(special ? afterSlashes(at) : at + 2);
            }
            inheritAuthority(base);
            path(at + 1);
            return true;
        }
        inheritAuthority(base);
        path.append(base.path());
        if (at == body.length()) {
            inheritedQuery = base.queryOrNull();
        } else {
            shortenPath();
            path(at);
        }
        return true;
    }

    private void inheritAuthority(WhatwgUrl base) {
        username = base.username();
        password = base.password();
        host = base.hostOrNull();
        port = base.portOrNone();
    }

    private boolean authority(int start) {
        var end = nextSlash(start);
        var atSign = body.lastIndexOf('@', end - 1);
        var hostStart = start;
        if (atSign >= start) {
            credentials(start, atSign);
            hostStart = atSign + 1;
            if (hostStart == end) {
                return false;
            }
        }
        if (!hostAndPort(hostStart, end)) {
            return false;
        }
        pathStart(end);
        return true;
    }

    private void credentials(int start, int end) {
        var colon = body.indexOf(':', start);
        var nameEnd = colon < 0 || colon > end ? end : colon;
        username = PercentEncodeSet.USERINFO.encode(body.substring(start, nameEnd));
        if (nameEnd < end) {
            password = PercentEncodeSet.USERINFO.encode(body.substring(nameEnd + 1, end));
        }
    }

    private boolean hostAndPort(int start, int end) {
        var colon = portColon(start, end);
        var hasPort = colon < end;
        if (colon == start && (special || hasPort)) {
            return false;
        }
        var parsed = HostParser.parse(body.substring(start, colon), !special);
        if (parsed.isEmpty()) {
            return false;
        }
        host = parsed.get();
        return !hasPort || port(colon + 1, end);
    }

    /** Returns the index of the first colon outside the brackets of an IPv6 address, or the end. */
    private int portColon(int start, int end) {
        var insideBrackets = false;
        for (var i = start; i < end; i++) {
            switch (body.charAt(i)) {
                case '[' -> insideBrackets = true;
                case ']' -> insideBrackets = false;
                case ':' -> {
                    if (!insideBrackets) {
                        return i;
                    }
                }
                default -> {}
            }
        }
        return end;
    }

    private boolean port(int start, int end) {
        var value = 0;
        for (var i = start; i < end; i++) {
            if (!Ascii.isDigit(body.charAt(i))) {
                return false;
            }
            value = value * 10 + body.charAt(i) - '0';
            if (value > 65535) {
                return false;
            }
        }
        if (start < end && value != Scheme.defaultPort(scheme)) {
            port = value;
        }
        return true;
    }

    private boolean file(int at) {
        useScheme("file");
        host = "";
        var fileBase = base != null && base.scheme().equals("file") ? base : null;
        if (isSlash(at)) {
            if (isSlash(at + 1)) {
                return fileHost(at + 2);
            }
            if (fileBase != null) {
                host = fileBase.hostOrNull();
                if (!DriveLetter.startsAt(body, at + 1)
                        && DriveLetter.isFirstSegment(fileBase.path())) {
                    path.append(fileBase.path(), 0, 3);
                }
            }
            path(at + 1);
        } else if (fileBase != null) {
            relativeToFile(at, fileBase);
        } else {
            path(at);
        }
        return true;
    }

    private void relativeToFile(int at, WhatwgUrl base) {
        host = base.hostOrNull();
        if (at == body.length()) {
            path.append(base.path());
            inheritedQuery = base.queryOrNull();
            return;
        }
        if (!DriveLetter.startsAt(body, at)) {
            path.append(base.path());
            shortenPath();
        }
        path(at);
    }

    private boolean fileHost(int start) {
        var end = nextSlash(start);
        if (end - start == 2 && DriveLetter.startsAt(body, start)) {
            path(start);
            return true;
        }
        if (start < end) {
            var parsed = HostParser.parse(body.substring(start, end), false);
            if (parsed.isEmpty()) {
                return false;
            }
            host = parsed.get().equals("localhost") ? "" : parsed.get();
        }
        pathStart(end);
        return true;
    }

    private void pathStart(int at) {
        if (isSlash(at)) {
            path(at + 1);
        } else if (special || at < body.length()) {
            path(at);
        }
    }

    private void path(int at) {
        var start = at;
        while (true) {
            var end = nextSlash(start);
            segment(start, end, end == body.length());
            if (end == body.length()) {
                return;
            }
            start = end + 1;
        }
    }

    private void segment(int start, int end, boolean last) {
        var dots = DotSegment.dots(body, start, end);
        if (dots == 2) {
            shortenPath();
        }
        if (dots > 0) {
            if (last) {
                path.append('/');
            }
            return;
        }
        var drive =
                scheme.equals("file")
                        && path.isEmpty()
                        && end - start == 2
                        && DriveLetter.startsAt(body, start);
        path.append('/');
        if (drive) {
            path.append(body.charAt(start)).append(':');
        } else {
            PercentEncodeSet.PATH.encode(body, start, end, path);
        }
    }

    private void shortenPath() {
        if (scheme.equals("file") && path.length() == 3 && DriveLetter.isFirstSegment(path)) {
            return;
        }
        path.setLength(Math.max(path.lastIndexOf("/"), 0));
    }

    /** Escapes a space before query or fragment, so that removing them leaves no trailing space. */
    private void opaquePath(int at) {
        opaquePath = true;
        var spaceLast = body.length() > at && body.charAt(body.length() - 1) == ' ';
        PercentEncodeSet.C0_CONTROL.encode(
                body, at, spaceLast ? body.length() - 1 : body.length(), path);
        if (spaceLast) {
            path.append("%20");
        }
    }

    private boolean isSlash(int at) {
        return at < body.length()
                && (body.charAt(at) == '/' || (special && body.charAt(at) == '\\'));
    }

    private int afterSlashes(int at) {
        var i = at;
        while (isSlash(i)) {
            i++;
        }
        return i;
    }

    private int nextSlash(int at) {
        var i = at;
        while (i < body.length() && !isSlash(i)) {
            i++;
        }
        return i;
    }
}
