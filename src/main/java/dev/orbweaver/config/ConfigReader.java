package dev.orbweaver.config;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

import dev.orbweaver.crawl.CrawlSettings;
import dev.orbweaver.crawl.RetryPolicy;
import dev.orbweaver.frontier.Politeness;
import dev.orbweaver.robots.ProductToken;
import dev.orbweaver.scope.Reach;
import dev.orbweaver.scope.ScopeSettings;
import dev.orbweaver.sink.Compression;
import dev.orbweaver.url.CrawlUrls;
import dev.orbweaver.url.Normalisation;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * From texts to checked settings. A bad value is noted and its default used meanwhile, so that
 * every problem is found.
 */
final class ConfigReader {

    private static final String PRODUCT = "Orbweaver";
    private static final String TOKEN = "orbweaver";
    private static final Duration LEASE_SLACK = Duration.ofMinutes(5);
    private static final Duration FOREVER = Duration.ofDays(36_500);

    private final Values values;
    private final List<String> problems = new ArrayList<>();

    ConfigReader(Values values) {
        this.values = values;
    }

    CrawlConfig read() throws ConfigException {
        problems.addAll(values.unknownNames());
        var normalisation = normalisation();
        var seeds = seeds(new CrawlUrls(normalisation));
        var network = network(seeds);
        var config =
                new CrawlConfig(
                        seeds,
                        scope(),
                        politeness(network.total()),
                        crawl(network),
                        network,
                        new CrawlConfig.Warc(
                                choice("warc-compression", Compression.values()),
                                size("warc-size")),
                        normalisation,
                        values);
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        return config;
    }

    private List<Seed> seeds(CrawlUrls urls) {
        var seeds = new ArrayList<Seed>();
        for (var text : values.list(Settings.SEEDS)) {
            Seed.read(text, urls)
                    .ifPresentOrElse(
                            seeds::add,
                            () ->
                                    problems.add(
                                            "'"
                                                    + printable(text)
                                                    + "' is not an http or https URL; write for"
                                                    + " example https://example.com/"));
        }
        if (values.list(Settings.SEEDS).isEmpty()) {
            problems.add(
                    "no URL to begin at; write for example: orbweaver crawl https://example.com/");
        }
        return seeds;
    }

    private static String printable(String text) {
        return text.codePoints()
                .limit(200)
                .mapToObj(c -> Character.isISOControl(c) ? " " : Character.toString(c))
                .collect(Collectors.joining());
    }

    private Normalisation normalisation() {
        return new Normalisation(
                flag("sort-query"),
                flag("drop-tracking"),
                flag("drop-sessions"),
                Set.of(),
                false,
                false);
    }

    private ScopeSettings scope() {
        return new ScopeSettings(
                choice("scope", Reach.values()),
                patterns("include"),
                patterns("exclude"),
                (int) Math.min(count("depth", 0), Integer.MAX_VALUE),
                words("skip-extensions"),
                flag("requisites"));
    }

    private List<Pattern> patterns(String key) {
        var patterns = new ArrayList<Pattern>();
        for (var text : values.list(key)) {
            try {
                patterns.add(Pattern.compile(text));
            } catch (PatternSyntaxException e) {
                problems.add(
                        key
                                + ": '"
                                + printable(text)
                                + "' is not an RE2 pattern: "
                                + e.getDescription());
            }
        }
        return patterns;
    }

    private Set<String> words(String key) {
        var texts = values.has(key) ? values.list(key) : List.of(fallback(key));
        return texts.stream()
                .flatMap(text -> Arrays.stream(text.split(",", -1)))
                .map(word -> word.strip().toLowerCase(Locale.ROOT))
                .map(word -> word.startsWith(".") ? word.substring(1) : word)
                .filter(word -> !word.isEmpty())
                .collect(Collectors.toSet());
    }

    private Politeness politeness(Duration total) {
        var delay = duration("delay");
        var ip = duration("delay-ip");
        var ipDelay = values.has("delay-ip") || ip.compareTo(delay) < 0 ? ip : delay;
        return new Politeness(
                delay,
                ipDelay,
                duration("delay-domain"),
                (int) Math.min(count("per-host", 1), Integer.MAX_VALUE),
                total.plus(LEASE_SLACK));
    }

    private CrawlSettings crawl(Network network) {
        var limits =
                new CrawlSettings.Limits(
                        count("max-pages", 1), size("max-bytes"), duration("max-time"));
        return new CrawlSettings(
                (int) Math.min(count("workers", 1), Integer.MAX_VALUE),
                choice("robots", Robots.values()) == Robots.OBEY,
                ProductToken.of(network.userAgent()).orElse(TOKEN),
                flag("sitemaps"),
                new RetryPolicy(
                        (int) Math.min(count("retries", 0), Integer.MAX_VALUE),
                        duration("retry-delay")),
                limits,
                duration("patience"),
                duration("grace"),
                (int) Math.min(count("redirects-max", 0), Integer.MAX_VALUE),
                (int) Math.min(size("content-max"), Integer.MAX_VALUE / 2));
    }

    /** What to do about robots.txt. */
    private enum Robots {
        OBEY,
        IGNORE
    }

    private Network network(List<Seed> seeds) {
        var total = duration("timeout");
        var contact = text("contact");
        return new Network(
                userAgent(text("user-agent"), contact),
                contact,
                shorter(duration("timeout-connect"), total),
                shorter(duration("timeout-first-byte"), total),
                total,
                (int) Math.min(size("head-max"), Integer.MAX_VALUE / 2),
                size("body-max"),
                flag("insecure"),
                flag("allow-private"),
                literals(seeds),
                fixed(),
                nameServer());
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    /** An honest name, always with a word on how to reach whoever runs it, or that nobody said. */
    private static String userAgent(String given, String contact) {
        var who = contact.isEmpty() ? "no contact given" : "+" + contact;
        if (given.isEmpty()) {
            return PRODUCT + "/" + version() + " (" + who + ")";
        }
        return contact.isEmpty() || given.contains(contact) ? given : given + " (+" + contact + ")";
    }

    private static String version() {
        return Optional.ofNullable(ConfigReader.class.getPackage().getImplementationVersion())
                .map(version -> version.replace("-SNAPSHOT", ""))
                .orElse("0");
    }

    /** Seeds that are themselves an address or localhost: naming one is permission to dial it. */
    private static Set<String> literals(List<Seed> seeds) {
        var hosts = new HashSet<String>();
        for (var seed : seeds) {
            var host = seed.url().host();
            var last = host.charAt(host.length() - 1);
            if (host.equals("localhost") || host.startsWith("[") || (last >= '0' && last <= '9')) {
                hosts.add(host);
            }
        }
        return hosts;
    }

    private Map<String, InetAddress> fixed() {
        var fixed = new HashMap<String, InetAddress>();
        for (var text : values.list("resolve")) {
            var equals = text.indexOf('=');
            var address =
                    equals < 1
                            ? Optional.<InetAddress>empty()
                            : address(text.substring(equals + 1));
            if (address.isPresent()) {
                fixed.put(text.substring(0, equals).toLowerCase(Locale.ROOT), address.get());
            } else {
                problems.add("resolve: '" + printable(text) + "' is not HOST=ADDRESS");
            }
        }
        return fixed;
    }

    private Optional<InetSocketAddress> nameServer() {
        var text = text("dns");
        if (text.isEmpty()) {
            return Optional.empty();
        }
        var colon = text.lastIndexOf(':');
        var port = colon < 0 ? Optional.<Integer>empty() : port(text.substring(colon + 1));
        var address = colon < 0 ? Optional.<InetAddress>empty() : address(text.substring(0, colon));
        if (port.isEmpty() || address.isEmpty()) {
            problems.add("dns: '" + printable(text) + "' is not ADDRESS:PORT");
            return Optional.empty();
        }
        return Optional.of(new InetSocketAddress(address.get(), port.get()));
    }

    private static Optional<Integer> port(String text) {
        return number(text).filter(port -> port > 0 && port < 65_536).map(Long::intValue);
    }

    private static Optional<InetAddress> address(String text) {
        try {
            return Optional.of(InetAddress.ofLiteral(text.replaceAll("^\\[|]$", "")));
        } catch (IllegalArgumentException notAnAddress) {
            return Optional.empty();
        }
    }

    private String text(String key) {
        var text = values.last(key).orElse(fallback(key));
        if (text.chars().anyMatch(c -> c < ' ' || c > '~')) {
            problems.add(key + " must be plain ASCII in one line");
            return fallback(key);
        }
        return text.strip();
    }

    private boolean flag(String key) {
        return value(
                key,
                text ->
                        switch (text.toLowerCase(Locale.ROOT)) {
                            case "true", "yes", "on" -> Optional.of(true);
                            case "false", "no", "off" -> Optional.of(false);
                            default -> Optional.empty();
                        },
                "yes or no");
    }

    private Duration duration(String key) {
        return value(
                key,
                text -> none(text) ? Optional.of(FOREVER) : Quantities.duration(text),
                "a time such as 500ms, 2s, 5m or 1h");
    }

    private long size(String key) {
        return value(
                key,
                text -> none(text) ? Optional.of(Long.MAX_VALUE) : Quantities.size(text),
                "a size such as 100KB, 20MB or 1GB");
    }

    private long count(String key, long least) {
        return value(
                key,
                text ->
                        none(text)
                                ? Optional.of(Long.MAX_VALUE)
                                : number(text).filter(number -> number >= least),
                "a whole number, " + least + " or more");
    }

    private static boolean none(String text) {
        return text.equalsIgnoreCase("none");
    }

    private static Optional<Long> number(String text) {
        var digits =
                !text.isEmpty()
                        && text.length() < 19
                        && text.chars().allMatch(c -> c >= '0' && c <= '9');
        return digits ? Optional.of(Long.parseLong(text)) : Optional.empty();
    }

    private <E extends Enum<E>> E choice(String key, E[] words) {
        var list = Arrays.stream(words).map(ConfigReader::word).collect(Collectors.joining(", "));
        return value(
                key,
                text ->
                        Arrays.stream(words)
                                .filter(word -> word(word).equalsIgnoreCase(text))
                                .findFirst(),
                "one of " + list);
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private <T> T value(String key, Function<String, Optional<T>> parse, String expected) {
        var text = values.last(key).orElse(fallback(key)).strip();
        var parsed = parse.apply(text);
        if (parsed.isEmpty()) {
            problems.add(key + ": '" + printable(text) + "' is not " + expected);
        }
        return parsed.or(() -> parse.apply(fallback(key))).orElseThrow();
    }

    private static String fallback(String key) {
        return Settings.find(key)
                .orElseThrow(() -> new IllegalStateException("no setting " + key))
                .fallback();
    }
}
