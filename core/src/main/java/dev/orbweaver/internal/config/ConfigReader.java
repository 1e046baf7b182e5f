package dev.orbweaver.internal.config;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.crawl.CrawlSettings;
import dev.orbweaver.internal.crawl.DirectivePolicy;
import dev.orbweaver.internal.crawl.RetryPolicy;
import dev.orbweaver.internal.crawl.RobotsPolicy;
import dev.orbweaver.internal.fetch.AddressPolicy;
import dev.orbweaver.internal.fetch.FetchSettings;
import dev.orbweaver.internal.frontier.IntakeLimits;
import dev.orbweaver.internal.robots.ProductToken;
import dev.orbweaver.internal.scope.ScopeSettings;
import dev.orbweaver.internal.sink.RecordOptions;
import dev.orbweaver.internal.traps.TrapSettings;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.AddressRange;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Converts checked values to the typed settings of each package. */
final class ConfigReader {

    private static final String PRODUCT = "Orbweaver";
    private static final String TOKEN = "orbweaver";
    private static final int PORT_MAX = 65_535;

    /** The time to compile a pattern grows with the square of its length. */
    private static final int PATTERN_MAX = 10_000;

    static final int INSTRUCTIONS_MAX = 10_000;

    private final SettingValues settingValues;
    private final CheckedValues checked;

    ConfigReader(SettingValues given) {
        this.settingValues = Preset.applyDefaults(given);
        this.checked = new CheckedValues(settingValues);
    }

    CrawlConfig read() throws ConfigException {
        var _ = checked.choice(Choice.PRESET);
        var normalisation = normalisation();
        var seeds = seeds(new CrawlUrls(normalisation));
        var concurrency = checked.count("concurrency", 1);
        var networkSettings = network(seeds, concurrency);
        var crawl = crawl(networkSettings, concurrency);
        var config =
                new CrawlConfig(
                        seeds,
                        scope(),
                        new PolitenessReader(checked)
                                .read(
                                        networkSettings.timeouts().total(),
                                        crawlDelayOf(crawl.robots())),
                        crawl,
                        networkSettings,
                        new CrawlConfig.Warc(
                                checked.choice(Choice.WARC_COMPRESSION),
                                checked.size("max-warc-size"),
                                new RecordOptions(
                                        checked.choice(Choice.WARC_DIGESTS)
                                                == Choice.WarcDigests.BOTH,
                                        checked.flag(Settings.WARC_REVISITS),
                                        checked.flag("warc-outlinks"),
                                        checked.flag("warc-dns")),
                                dedupeWith(),
                                retention()),
                        normalisation,
                        FingerprintKey.PUBLIC,
                        intake(),
                        checked.choice(Choice.DURABILITY),
                        new CrawlConfig.Space(
                                checked.countLimit("max-queued-urls", 1),
                                checked.size("max-frontier-disk"),
                                checked.size("min-free-disk")),
                        RevisitPlan.read(checked),
                        checked.file("exclude-hosts"),
                        cookiesFile(),
                        settingValues);
        settingValues.table().extensions().forEach(extension -> extension.check(checked));
        if (!checked.problems().isEmpty()) {
            throw new ConfigException(checked.problems());
        }
        return config;
    }

    private Retention retention() {
        var text = checked.text(Retention.KEY);
        if (text.isEmpty()) {
            return Retention.NONE;
        }
        var retention = Retention.parse(text);
        if (retention.isEmpty()) {
            checked.addInvalid(Retention.KEY, text, Retention.EXPECTED);
        }
        return retention.orElse(Retention.NONE);
    }

    /** Stores absolute paths, for a resume from another directory. */
    private List<String> dedupeWith() {
        var key = Settings.DEDUPE_WITH;
        var places = new ArrayList<String>();
        for (var text : checked.list(key)) {
            if (text.isBlank() || text.chars().anyMatch(c -> c < ' ')) {
                checked.addInvalid(
                        key,
                        text,
                        "the directory of a crawl, a WARC or WACZ file or s3://BUCKET/PREFIX");
            } else if (CrawlConfig.isRemote(text)) {
                places.add(text.strip());
            } else {
                places.add(Path.of(text.strip()).toAbsolutePath().normalize().toString());
            }
        }
        if (!places.isEmpty()) {
            settingValues.put(key, places);
            if (!checked.flag(Settings.WARC_REVISITS)) {
                checked.addProblem(
                        key,
                        "dedupe-with writes revisit records, which warc-revisits switches off;"
                                + " leave one of them out");
            }
        }
        return places;
    }

    /** Stores the absolute path, for a resume from another directory. */
    private Optional<Path> cookiesFile() {
        var file = checked.file(CookiesFile.KEY).map(path -> path.toAbsolutePath().normalize());
        file.ifPresent(path -> settingValues.put(CookiesFile.KEY, path.toString()));
        return file;
    }

    private List<Seed> seeds(CrawlUrls urls) {
        var seeds = new ArrayList<Seed>();
        for (var text : checked.list(Settings.SEEDS)) {
            if (Seed.hasCredentials(text)) {
                checked.addProblem(
                        Settings.SEEDS,
                        "seeds: a URL must not contain a user name or password, because URLs are"
                                + " stored and displayed; use credentials (ORIGIN basic"
                                + " USER:PASSWORD)");
                continue;
            }
            Seed.read(text, urls)
                    .ifPresentOrElse(
                            seeds::add,
                            () ->
                                    checked.addProblem(
                                            Settings.SEEDS,
                                            Seed.problem(text)
                                                    + "; expected for example"
                                                    + " https://example.com/"));
        }
        var onlyLists = checked.flag(Settings.SEED_LISTS);
        if (checked.list(Settings.SEEDS).isEmpty() && !onlyLists) {
            checked.addProblem(
                    Settings.SEEDS, "no seed URL; expected for example https://example.com/");
        }
        return seeds;
    }

    private Normalisation normalisation() {
        return new Normalisation(
                checked.flag("sort-query"),
                checked.flag("ignore-tracking"),
                checked.flag("ignore-sessions"),
                checked.words("ignore-parameters"),
                checked.flag("ignore-trailing-slash"),
                checked.flag("ignore-index-file"));
    }

    private ScopeSettings scope() {
        return new ScopeSettings(
                checked.choice(Choice.SCOPE),
                patterns("include"),
                patterns("exclude"),
                (int) Math.min(checked.countLimit("max-depth", 0), Integer.MAX_VALUE),
                checked.words("skip-extensions"),
                checked.flag("page-requisites"),
                checked.words("skip-types"),
                checked.size("max-content-length"));
    }

    private List<Pattern> patterns(String key) {
        var patterns = new ArrayList<Pattern>();
        var instructions = 0L;
        for (var text : checked.list(key)) {
            if (text.isEmpty()) {
                checked.addProblem(key, key + ": a pattern is empty, so it would match every URL");
                continue;
            }
            if (text.length() > PATTERN_MAX) {
                checked.addProblem(
                        key, key + ": a pattern may have at most " + PATTERN_MAX + " characters");
                continue;
            }
            var size = PatternSize.of(text);
            if (size > INSTRUCTIONS_MAX) {
                checked.addProblem(
                        key,
                        "%s: pattern %s is too large; at most %,d instructions after expanding repetitions and %d nested groups are allowed, so use smaller counts"
                                .formatted(
                                        key,
                                        CheckedValues.quote(text),
                                        INSTRUCTIONS_MAX,
                                        PatternSize.DEPTH_MAX));
                continue;
            }
            instructions += size;
            if (instructions > INSTRUCTIONS_MAX) {
                checked.addProblem(
                        key,
                        "%s: all patterns together are too large; at most %,d instructions after expanding repetitions are allowed, so use fewer or smaller patterns"
                                .formatted(key, INSTRUCTIONS_MAX));
                break;
            }
            try {
                patterns.add(Pattern.compile(text));
            } catch (PatternSyntaxException e) {
                checked.addInvalid(key, text, "an RE2 regular expression: " + e.getDescription());
            }
        }
        return patterns;
    }

    /** Returns the Crawl-delay of a custom robots.txt; it applies to every host. */
    private static Duration crawlDelayOf(RobotsPolicy robots) {
        return robots instanceof RobotsPolicy.Custom(var rules, _, _)
                ? rules.crawlDelay().orElse(Duration.ZERO)
                : Duration.ZERO;
    }

    private IntakeLimits intake() {
        return new IntakeLimits(
                (int) Math.min(checked.countLimit("max-urls-per-host", 1), Integer.MAX_VALUE),
                checked.countLimit("max-urls-per-domain", 1),
                (int) Math.min(checked.countLimit("max-hosts", 1), Integer.MAX_VALUE),
                MatchLimitReader.read(checked));
    }

    private CrawlSettings crawl(NetworkSettings networkSettings, int concurrency) {
        var limits =
                new CrawlSettings.Limits(
                        checked.countLimit("max-pages", 1),
                        checked.size("max-bytes"),
                        checked.limit("max-time"));
        var productToken = ProductToken.of(networkSettings.userAgent()).orElse(TOKEN);
        return new CrawlSettings(
                concurrency,
                new RobotsReader(settingValues, checked).read(productToken),
                productToken,
                checked.flag("sitemaps"),
                new RetryPolicy(
                        checked.count("max-retries", 0),
                        checked.delay("retry-delay"),
                        checked.delay("max-retry-after")),
                limits,
                checked.limit("max-idle-wait"),
                checked.delay("stop-grace"),
                checked.limit("max-disk-wait"),
                checked.count("max-redirects", 0),
                checked.sizeInMemory("max-parse-bytes"),
                checked.count("max-decompression-ratio", 1),
                new TrapSettings(
                        checked.choice(Choice.TRAPS) == Choice.OnOff.ON,
                        checked.count("trap-budget", 1)),
                new DirectivePolicy(
                        checked.choice(Choice.NOFOLLOW) == Choice.ObeyOrIgnore.OBEY,
                        checked.choice(Choice.PURPOSE)),
                PriorityReader.read(checked));
    }

    private NetworkSettings network(List<Seed> seeds, int concurrency) {
        var total = checked.timeout("timeout");
        var contact = checked.text("contact");
        return new NetworkSettings(
                userAgent(checked.text("user-agent"), contact),
                contact,
                new FetchSettings.Timeouts(
                        checked.timeout("dns-timeout"),
                        shorter(checked.timeout("connect-timeout"), total),
                        shorter(checked.timeout("first-byte-timeout"), total),
                        total),
                connections(concurrency),
                checked.sizeInMemory("max-header"),
                checked.size("max-body"),
                checked.flag("insecure"),
                checked.flag("http2"),
                addresses(seeds),
                fixedAddresses(),
                nameServer(),
                new AccessReader(checked).read());
    }

    /** Allows for each request one connection in use, one idle, and some to unresponsive hosts. */
    private FetchSettings.ConnectionLimits connections(int concurrency) {
        var automatic = (int) Math.min(6L * concurrency, Integer.MAX_VALUE);
        return new FetchSettings.ConnectionLimits(
                checked.countOr("max-connections", 1, automatic),
                checked.countOr("max-connections-per-host", 1, Math.max(1, concurrency)),
                checked.timeout("idle-timeout"));
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    /** Returns the User-Agent with the contact, or with a note that none was given. */
    private static String userAgent(String given, String contact) {
        var name = given.isEmpty() ? PRODUCT + "/" + version() : given;
        if (contact.isEmpty()) {
            return NetworkSettings.namesContact(name) ? name : name + " (no contact given)";
        }
        return name.contains(contact) ? name : name + " (+" + contact + ")";
    }

    private static String version() {
        return Optional.ofNullable(ConfigReader.class.getPackage().getImplementationVersion())
                .map(version -> version.replace("-SNAPSHOT", ""))
                .orElse("0");
    }

    private AddressPolicy addresses(List<Seed> seeds) {
        return new AddressPolicy(
                checked.flag("allow-private"),
                ranges(),
                hasOrigins()
                        ? allowedOrigins()
                        : seeds.stream()
                                .flatMap(seed -> seed.literalOrigins().stream())
                                .collect(Collectors.toSet()));
    }

    private List<AddressRange> ranges() {
        var ranges = new ArrayList<AddressRange>();
        for (var text : checked.list(Settings.ALLOW_ADDRESSES)) {
            try {
                ranges.add(AddressRange.of(text.strip()));
            } catch (IllegalArgumentException e) {
                checked.addInvalid(
                        Settings.ALLOW_ADDRESSES, text, "a range such as 10.1.0.0/16 or fd00::/8");
            }
        }
        return ranges;
    }

    private boolean hasOrigins() {
        return settingValues.has(Settings.ALLOW_ORIGINS)
                && !settingValues.list(Settings.ALLOW_ORIGINS).equals(List.of(Settings.AUTO));
    }

    private Set<String> allowedOrigins() {
        var origins = new HashSet<String>();
        for (var text : checked.list(Settings.ALLOW_ORIGINS)) {
            var url = new CrawlUrls(Normalisation.DEFAULT).parse(text.strip());
            if (url.isPresent() && url.get().pathAndQuery().equals("/")) {
                origins.add(url.get().origin());
            } else {
                checked.addInvalid(
                        Settings.ALLOW_ORIGINS, text, "an origin such as http://127.0.0.1:8080");
            }
        }
        return origins;
    }

    private Map<String, InetAddress> fixedAddresses() {
        var fixed = new HashMap<String, InetAddress>();
        for (var text : checked.list("resolve")) {
            var equals = text.indexOf('=');
            var address =
                    equals < 1
                            ? Optional.<InetAddress>empty()
                            : address(text.substring(equals + 1));
            if (address.isPresent()) {
                fixed.put(text.substring(0, equals).toLowerCase(Locale.ROOT), address.get());
            } else {
                checked.addInvalid("resolve", text, "HOST=ADDRESS");
            }
        }
        return fixed;
    }

    private Optional<InetSocketAddress> nameServer() {
        var text = checked.text("dns-server");
        if (text.isEmpty()) {
            return Optional.empty();
        }
        var colon = text.lastIndexOf(':');
        var port = colon < 0 ? Optional.<Integer>empty() : port(text.substring(colon + 1));
        var address = colon < 0 ? Optional.<InetAddress>empty() : address(text.substring(0, colon));
        if (port.isEmpty() || address.isEmpty()) {
            checked.addInvalid("dns-server", text, "ADDRESS:PORT");
            return Optional.empty();
        }
        return Optional.of(new InetSocketAddress(address.get(), port.get()));
    }

    private static Optional<Integer> port(String text) {
        return Quantities.count(text)
                .filter(port -> port > 0 && port <= PORT_MAX)
                .map(Long::intValue);
    }

    private static Optional<InetAddress> address(String text) {
        try {
            return Optional.of(InetAddress.ofLiteral(text.replaceAll("^\\[|]$", "")));
        } catch (IllegalArgumentException notAnAddress) {
            return Optional.empty();
        }
    }
}
