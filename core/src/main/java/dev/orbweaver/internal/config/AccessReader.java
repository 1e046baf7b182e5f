package dev.orbweaver.internal.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.fetch.RequestOptions;
import dev.orbweaver.internal.fetch.RequestOptions.Credential;
import dev.orbweaver.internal.fetch.RequestOptions.Header;
import dev.orbweaver.internal.fetch.RequestOptions.Proxy;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;

import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Parses headers, credentials and the proxy. Error messages never repeat a secret. */
final class AccessReader {

    private static final Pattern PROXY =
            Pattern.compile(
                    "(http|socks4|socks5)://(?:([^@/]*)@)?(\\[[^\\]]+]|[^:/@\\[]+):([0-9]+)/?");
    private static final String FROM_ENVIRONMENT = "env:";
    private static final int PORT_MAX = 65_535;

    private final CheckedValues checked;
    private final CrawlUrls urls = new CrawlUrls(Normalisation.DEFAULT);

    AccessReader(CheckedValues checked) {
        this.checked = checked;
    }

    RequestOptions read() {
        return new RequestOptions(headers(), credentials(), checked.flag("cookies"), proxy());
    }

    private Map<String, List<Header>> headers() {
        var headers = new HashMap<String, List<Header>>();
        for (var text : checked.list("header")) {
            var space = text.indexOf(' ');
            var colon = text.indexOf(':', Math.max(space, 0));
            var host = space < 1 ? "" : host(text.substring(0, space));
            if (host.isEmpty() || colon < 0) {
                checked.addProblem(
                        "header",
                        "header: expected HOST NAME: VALUE, such as example.com X-Key: abc");
                continue;
            }
            var name = text.substring(space + 1, colon).strip();
            try {
                headers.computeIfAbsent(host, _ -> new ArrayList<>())
                        .add(new Header(name, text.substring(colon + 1).strip()));
            } catch (IllegalArgumentException e) {
                checked.addInvalid("header", name, "a request header that can be set");
            }
        }
        return headers;
    }

    /** Returns the host as it is written in URLs; empty if the text is not a host. */
    private String host(String text) {
        return urls.parse("http://" + text + "/")
                .map(url -> url.authority().equals(url.host()) ? url.host() : "")
                .orElse("");
    }

    private Map<String, Credential> credentials() {
        var credentials = new HashMap<String, Credential>();
        for (var text : checked.list("credentials")) {
            var words = text.strip().split(" +", 3);
            if (words.length == 3 && isUnset(words[2])) {
                checked.addProblem(
                        "credentials",
                        "credentials: environment variable %s is not set"
                                .formatted(variable(words[2])));
                continue;
            }
            var origin = words.length < 3 ? Optional.<String>empty() : origin(words[0]);
            var credential = words.length < 3 ? Optional.<Credential>empty() : credential(words);
            if (origin.isPresent() && credential.isPresent()) {
                credentials.put(origin.get(), credential.get());
            } else {
                checked.addProblem(
                        "credentials",
                        "credentials: expected ORIGIN basic USER:PASSWORD or ORIGIN bearer TOKEN,"
                                + " with an origin such as https://example.com; env:NAME as the"
                                + " secret reads it from the environment");
            }
        }
        return credentials;
    }

    private Optional<String> origin(String text) {
        return urls.parse(text)
                .filter(url -> url.pathAndQuery().equals("/"))
                .map(url -> url.origin());
    }

    /** Returns the index of {@code env:NAME}, for the whole secret or its password; -1 for none. */
    private static int variableAt(String secret) {
        var password = secret.indexOf(':') + 1;
        return secret.startsWith(FROM_ENVIRONMENT)
                ? 0
                : password > 0 && secret.startsWith(FROM_ENVIRONMENT, password) ? password : -1;
    }

    private static boolean isUnset(String secret) {
        return variableAt(secret) >= 0 && System.getenv(variable(secret)) == null;
    }

    private static String variable(String secret) {
        return secret.substring(variableAt(secret) + FROM_ENVIRONMENT.length());
    }

    private static String fromEnvironment(String secret) {
        var at = variableAt(secret);
        return at < 0 ? secret : secret.substring(0, at) + System.getenv(variable(secret));
    }

    private static Optional<Credential> credential(String[] words) {
        var secret = fromEnvironment(words[2]);
        if (secret == null || secret.isEmpty()) {
            return Optional.empty();
        }
        return switch (words[1].toLowerCase(Locale.ROOT)) {
            case "basic" ->
                    secret.indexOf(':') < 0
                            ? Optional.empty()
                            : Optional.of(Credential.basic(secret));
            case "bearer" ->
                    secret.chars().allMatch(c -> c > ' ' && c <= '~')
                            ? Optional.of(Credential.bearer(secret))
                            : Optional.empty();
            default -> Optional.empty();
        };
    }

    /** Reads the user and password before a proxy's @: percent-encoded, or {@code env:NAME}. */
    private Optional<String> login(String text) {
        if (isUnset(text)) {
            checked.addProblem(
                    "proxy", "proxy: environment variable " + variable(text) + " is not set");
            return Optional.empty();
        }
        try {
            return Optional.of(
                    variableAt(text) >= 0
                            ? fromEnvironment(text)
                            // The decoder is made for forms, where a plus means a space.
                            : URLDecoder.decode(text.replace("+", "%2B"), UTF_8));
        } catch (IllegalArgumentException e) {
            checked.addProblem(
                    "proxy",
                    "proxy: the user and password before @ are not valid percent-encoding");
            return Optional.empty();
        }
    }

    private Optional<Proxy> proxy() {
        var text = checked.text("proxy");
        if (text.isEmpty()) {
            return Optional.empty();
        }
        var match = PROXY.matcher(text);
        var port = match.matches() ? Quantities.count(match.group(4)).orElse(0L) : 0;
        if (port < 1 || port > PORT_MAX) {
            checked.addProblem(
                    "proxy", "proxy: expected http://, socks4:// or socks5:// with HOST:PORT");
            return Optional.empty();
        }
        var kind = Proxy.Kind.valueOf(match.group(1).toUpperCase(Locale.ROOT));
        return login(match.group(2) == null ? "" : match.group(2))
                .map(login -> new Proxy(kind, match.group(3), Math.toIntExact(port), login));
    }
}
