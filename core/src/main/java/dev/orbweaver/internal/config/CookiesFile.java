package dev.orbweaver.internal.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.Problem;
import dev.orbweaver.internal.fetch.Cookie;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.internal.url.RegistrableDomain;
import dev.orbweaver.model.PrintableText;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The cookies of a file in Netscape format, as browsers' extensions, curl and wget write it.
 *
 * <p>A line has seven fields, separated by tabs: domain, whether hosts below the domain get the
 * cookie (TRUE or FALSE), path, whether it is sent over https only, expiry in seconds since 1970 (0
 * or nothing for a session), name, value. Lines that start with {@code #} are comments, except
 * {@code #HttpOnly_} before a domain. A later line replaces an earlier one with the same name,
 * domain and path.
 *
 * <p>Cookies are secrets. No message repeats any part of a line, because in a line with a wrong
 * separator every part may be the value.
 *
 * @param expired how many cookies of the file were left out because they have expired
 */
public record CookiesFile(List<Cookie> cookies, int expired) {

    /** The name of the setting. */
    public static final String KEY = "cookies-file";

    static final int BYTES_MAX = 1 << 20;
    static final int COOKIES_MAX = 10_000;

    /** A file of another format would bring a problem a line; the rest is counted. */
    static final int PROBLEMS_MAX = 100;

    static final CookiesFile EMPTY = new CookiesFile(List.of(), 0);

    private static final String HTTP_ONLY = "#HttpOnly_";
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    /** Seconds of a longer number are after any date that a crawl can reach. */
    private static final int SECONDS_DIGITS_MAX = 12;

    public CookiesFile {
        cookies = List.copyOf(cookies);
    }

    /** A warning about cookies that are not sent, if there are any. */
    public Optional<String> warning() {
        return expired == 0
                ? Optional.empty()
                : Optional.of("cookies-file: expired cookies left out: %,d".formatted(expired));
    }

    static CookiesFile read(Path file, Instant now) throws ConfigException {
        var reader = new Reader(now);
        reader.readAll(content(file));
        return reader.result();
    }

    private static String content(Path file) throws ConfigException {
        try {
            if (Files.exists(file) && !Files.isRegularFile(file)) {
                throw unreadable(file, "it is not a regular file, and must be readable again");
            }
            try (var in = Files.newInputStream(file)) {
                var bytes = in.readNBytes(BYTES_MAX + 1);
                if (bytes.length > BYTES_MAX) {
                    throw new ConfigException(
                            KEY,
                            "cookies-file: %s is larger than %,d bytes".formatted(file, BYTES_MAX));
                }
                var text = new String(bytes, UTF_8);
                return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
            }
        } catch (NoSuchFileException e) {
            throw unreadable(file, "there is no such file");
        } catch (AccessDeniedException e) {
            throw unreadable(file, "permission denied");
        } catch (IOException e) {
            throw unreadable(file, PrintableText.line(String.valueOf(e.getMessage())));
        }
    }

    private static ConfigException unreadable(Path file, String reason) {
        return new ConfigException(
                KEY,
                "cookies-file: could not read %s: %s; name another file, or set cookies-file to nothing to send no cookies"
                        .formatted(file, reason));
    }

    /** Collects the cookies of a file and the problems of its lines. */
    private static final class Reader {

        private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

        private record Key(String name, String domain, String path) {}

        private final Instant now;
        private final Map<Key, Cookie> cookies = new LinkedHashMap<>();
        private final List<Problem> problems = new ArrayList<>();
        private int problemLines;
        private int cookieLines;
        private int expired;

        Reader(Instant now) {
            this.now = now;
        }

        CookiesFile result() throws ConfigException {
            if (problemLines > problems.size()) {
                var more = problemLines - problems.size();
                problems.add(
                        new Problem(
                                KEY, "cookies-file: %,d more lines like these".formatted(more)));
            }
            if (cookieLines > COOKIES_MAX) {
                problems.add(
                        new Problem(
                                KEY,
                                "cookies-file has %,d cookies; at most %,d are accepted"
                                        .formatted(cookieLines, COOKIES_MAX)));
            }
            if (!problems.isEmpty()) {
                throw new ConfigException(problems);
            }
            return new CookiesFile(List.copyOf(cookies.values()), expired);
        }

        void readAll(String text) {
            var number = 0;
            for (var line : (Iterable<String>) text.lines()::iterator) {
                number++;
                var httpOnly = line.startsWith(HTTP_ONLY);
                if (httpOnly || !(line.isBlank() || line.stripLeading().startsWith("#"))) {
                    cookieLines++;
                    if (cookieLines <= COOKIES_MAX) {
                        readLine(httpOnly ? line.substring(HTTP_ONLY.length()) : line, number);
                    }
                }
            }
        }

        private void readLine(String line, int number) {
            try {
                add(cookie(line));
            } catch (BadLineException e) {
                problemLines++;
                if (problems.size() < PROBLEMS_MAX) {
                    problems.add(
                            new Problem(
                                    KEY,
                                    "cookies-file, line %d: %s".formatted(number, e.getMessage())));
                }
            }
        }

        private void add(Cookie cookie) {
            var key = new Key(cookie.name(), cookie.domain(), cookie.path());
            cookies.remove(key);
            if (cookie.isExpired(now)) {
                expired++;
            } else {
                cookies.put(key, cookie);
            }
        }

        private static Cookie cookie(String line) throws BadLineException {
            var fields = line.split("\t", -1);
            if (fields.length != 7) {
                throw new BadLineException(
                        "%d fields instead of 7 (domain, subdomains, path, secure, expiry, name, value), separated by tabs"
                                .formatted(fields.length));
            }
            var subdomains = flag(fields[1], "the second field (subdomains)");
            var domain = domain(fields[0], subdomains);
            if (!fields[2].startsWith("/") || !isPrintable(fields[2])) {
                throw new BadLineException("the path must start with / and be printable ASCII");
            }
            if (fields[5].isEmpty()
                    || !isPrintable(fields[5])
                    || fields[5].chars().anyMatch(c -> c == ' ' || c == '=' || c == ';')) {
                throw new BadLineException(
                        "the name must be printable ASCII without space, = and ;, and not empty");
            }
            if (!isPrintable(fields[6]) || fields[6].indexOf(';') >= 0) {
                throw new BadLineException("the value must be printable ASCII without ;");
            }
            return new Cookie(
                    fields[5],
                    fields[6],
                    domain,
                    !subdomains || isAddress(domain),
                    fields[2],
                    flag(fields[3], "the fourth field (secure)"),
                    expiry(fields[4]));
        }

        private static boolean flag(String field, String name) throws BadLineException {
            if (field.equalsIgnoreCase("TRUE")) {
                return true;
            }
            if (field.equalsIgnoreCase("FALSE")) {
                return false;
            }
            throw new BadLineException(name + " must be TRUE or FALSE");
        }

        private static Instant expiry(String field) throws BadLineException {
            if (field.isEmpty()) {
                return Instant.MAX;
            }
            if (!field.chars().allMatch(c -> c >= '0' && c <= '9')) {
                throw new BadLineException(
                        "the expiry must be whole seconds since 1970, or 0 for a session");
            }
            if (field.length() > SECONDS_DIGITS_MAX) {
                return Instant.MAX;
            }
            var seconds = Long.parseLong(field);
            return seconds == 0 ? Instant.MAX : Instant.ofEpochSecond(seconds);
        }

        /**
         * Returns the domain as a host in URLs. A public suffix is rejected: such a cookie would go
         * to the sites of many owners. So is a single label with the hosts below it.
         */
        private static String domain(String field, boolean subdomains) throws BadLineException {
            var name = field.startsWith(".") ? field.substring(1) : field;
            var delimiters = name.startsWith("[") ? "/\\?#@" : "/\\?#@:";
            var host =
                    name.chars().anyMatch(c -> c <= ' ' || delimiters.indexOf(c) >= 0)
                            ? Optional.<String>empty()
                            : URLS.parse("http://" + name + "/")
                                    .filter(url -> url.authority().equals(url.host()))
                                    .map(url -> url.host());
            if (host.isEmpty()) {
                throw new BadLineException("the domain is not a host name");
            }
            if (RegistrableDomain.isPublicSuffix(host.get())) {
                throw new BadLineException(
                        "the domain is a public suffix, and sites of several owners are below it");
            }
            if (subdomains && host.get().indexOf('.') < 0 && !isAddress(host.get())) {
                throw new BadLineException(
                        "the domain has a single label, so the second field must be FALSE");
            }
            return host.get();
        }

        private static boolean isAddress(String host) {
            return host.startsWith("[")
                    || host.chars().allMatch(c -> c == '.' || (c >= '0' && c <= '9'));
        }

        private static boolean isPrintable(String text) {
            return text.chars().allMatch(c -> c >= ' ' && c <= '~');
        }
    }

    /** A line that is not a cookie; the message says why, without any part of the line. */
    private static final class BadLineException extends Exception {

        private static final long serialVersionUID = 1;

        BadLineException(String message) {
            super(message);
        }
    }
}
