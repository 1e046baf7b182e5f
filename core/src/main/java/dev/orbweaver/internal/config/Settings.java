package dev.orbweaver.internal.config;

import static dev.orbweaver.internal.config.Setting.ValueType.COUNT;
import static dev.orbweaver.internal.config.Setting.ValueType.DURATION;
import static dev.orbweaver.internal.config.Setting.ValueType.FACTOR;
import static dev.orbweaver.internal.config.Setting.ValueType.LIST;
import static dev.orbweaver.internal.config.Setting.ValueType.SIZE;
import static dev.orbweaver.internal.config.Setting.ValueType.SWITCH;
import static dev.orbweaver.internal.config.Setting.ValueType.TEXT;

import dev.orbweaver.internal.traps.TrapSettings;
import dev.orbweaver.model.FileExtensions;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/** A table of settings in the order of the help text: {@link #CORE}, then those of extensions. */
public final class Settings {

    /** The key of the seeds: arguments on the command line, a list in YAML. */
    public static final String SEEDS = "seeds";

    /** The key that says whether content is stored once only. */
    public static final String WARC_REVISITS = "warc-revisits";

    /** The key of the other crawls whose content is not stored again. */
    public static final String DEDUPE_WITH = "dedupe-with";

    /** The key that says that all seeds are in seed lists in the crawl's directory. */
    public static final String SEED_LISTS = "only-seed-lists";

    /** The key of the origins that may have a private address because the operator named them. */
    public static final String ALLOW_ORIGINS = "allow-origins";

    /** The key of the address ranges that are allowed even if they are private or link-local. */
    public static final String ALLOW_ADDRESSES = "allow-addresses";

    /** The value of a setting that is derived from other settings. */
    public static final String AUTO = "auto";

    private static final List<Setting> OF_EVERY_CRAWL =
            Stream.of(common(), scopeAndLimits(), politeness(), network(), output(), advanced())
                    .flatMap(List::stream)
                    .toList();

    public static final Settings CORE = new Settings(OF_EVERY_CRAWL, List.of());

    private final List<Setting> all;
    private final Map<String, Setting> byKey = new LinkedHashMap<>();
    private final List<ModuleExtension> extensions;

    private Settings(List<Setting> all, List<ModuleExtension> extensions) {
        this.all = List.copyOf(all);
        this.extensions = List.copyOf(extensions);
        for (var setting : all) {
            if (byKey.put(setting.key(), setting) != null) {
                throw new IllegalArgumentException("duplicate setting " + setting.key());
            }
        }
    }

    private static List<Setting> common() {
        return group(
                SettingGroup.COMMON,
                list(SEEDS, "URL", "", "seed URLs: where the crawl starts"),
                toggle(
                        SEED_LISTS,
                        "false",
                        "all seeds are in the seed lists of the crawl's directory; set by import"),
                count(
                        "max-pages",
                        "none",
                        "stop after N pages; requests in flight may add a few more"),
                count("max-depth", "none", "follow links up to N hops from a seed; 0: seeds only"),
                new Setting(
                        Choice.SCOPE,
                        "host",
                        "which links to follow: path (below the seed's last slash), host (the"
                                + " seed's host name, any scheme and port), domain (example.com"
                                + " and all its subdomains) or any"),
                list(
                        "include",
                        "REGEX",
                        "",
                        "fetch only URLs in which this RE2 regular expression is found, such as"
                                + " '/docs/'; also applies to the pages that lead there, except"
                                + " seeds; repeatable, one match is enough"),
                list(
                        "exclude",
                        "REGEX",
                        "",
                        "skip URLs in which this RE2 regular expression is found; overrides"
                                + " --include; repeatable"),
                duration(
                                "delay",
                                AUTO,
                                "pause between a response and the next request to the same host;"
                                        + " auto adapts it to the host's response times, from"
                                        + " --min-delay to --max-delay")
                        .withPlaceholder("TIME|auto"),
                count(
                        "concurrency",
                        "512",
                        "requests in flight at the same time, to all hosts together"),
                new Setting(
                        Choice.PRESET,
                        "none",
                        "set defaults for a purpose: documentation (a manual below one path),"
                                + " large-site, careful (low load for the server) or archive (with"
                                + " page requisites); other options override them"),
                text(
                        "contact",
                        "TEXT",
                        "URL or e-mail address for site owners, added to the User-Agent"),
                text(
                        "user-agent",
                        "TEXT",
                        "User-Agent header to send (default: Orbweaver/VERSION)"));
    }

    private static List<Setting> scopeAndLimits() {
        return group(
                SettingGroup.SCOPE_AND_LIMITS,
                duration(
                        "max-time",
                        "none",
                        "stop after TIME, such as 2h; a resumed crawl gets TIME again"),
                size("max-bytes", "none", "stop after SIZE of response bodies, such as 10GB"),
                count(
                        "max-urls-per-host",
                        "none",
                        "queue at most N URLs of one host in the whole crawl"),
                count(
                        "max-urls-per-domain",
                        "none",
                        "queue at most N URLs of one registrable domain, such as example.co.uk"),
                count("max-hosts", "none", "queue URLs of at most N hosts"),
                list(
                        MatchLimitReader.KEY,
                        "RULE",
                        "",
                        "queue at most N of the URLs that match: [type:TYPE] [host:HOST] [REGEX] N,"
                                + " such as 'type:image 1000'; repeatable"),
                new Setting(
                                RevisitPlan.KEY,
                                TEXT,
                                "never",
                                "visit pages again and run until stopped: auto (by how often they"
                                        + " change) or TIME between two visits, such as 7d")
                        .withPlaceholder("never|auto|TIME"),
                new Setting(
                                RevisitPlan.BUDGET_KEY,
                                TEXT,
                                "none",
                                "visit at most N known pages a day or an hour, such as 10000/day;"
                                        + " new pages do not count")
                        .withPlaceholder("N/day|N/h"),
                count("max-redirects", "10", "follow at most N redirects in a row"),
                size("max-body", "20MB", "truncate response bodies at SIZE"),
                size(
                        "max-content-length",
                        "none",
                        "skip responses whose Content-Length is larger than SIZE"),
                toggle(
                        "page-requisites",
                        "false",
                        "also fetch the images, style sheets, scripts, fonts and media that pages"
                                + " need, from any host, like wget -p"),
                toggle("sitemaps", "true", "read the sitemaps that robots.txt lists"),
                list(
                        PriorityReader.KEY,
                        "RULE",
                        "",
                        "fetch some URLs of a host earlier or later: [type:TYPE] [host:HOST]"
                                + " [REGEX] POINTS, such as '/news/ +20' or 'type:image -30';"
                                + " or weight=N instead of POINTS: N times as likely to be next;"
                                + " repeatable, points add up"),
                new Setting(
                        Choice.TRAPS,
                        "on",
                        "detect crawler traps: skip URL patterns that keep producing pages without"
                                + " new content, such as endless calendars"),
                count(
                        "trap-budget",
                        Integer.toString(TrapSettings.BUDGET),
                        "pages without new content after which a URL pattern is skipped"),
                list(
                        "skip-types",
                        "TYPE,...",
                        "audio/*,video/*",
                        "media types of responses to skip, comma-separated, such as"
                                + " image/*,application/pdf"),
                list(
                        "skip-extensions",
                        "EXT,...",
                        String.join(",", new TreeSet<>(FileExtensions.SKIPPED_BY_DEFAULT)),
                        "links with these extensions are not followed, comma-separated; '' follows"
                                + " all"));
    }

    private static List<Setting> politeness() {
        return group(
                SettingGroup.POLITENESS,
                new Setting(
                                RobotsReader.KEY,
                                TEXT,
                                "obey",
                                "obey or ignore robots.txt, or apply the rules in FILE to every"
                                        + " host instead",
                                Choice.ROBOTS.ids())
                        .withPlaceholder("obey|ignore|custom FILE"),
                count(
                        "concurrency-per-host",
                        "1",
                        "requests in flight at the same time to one host"),
                duration("min-delay", "1s", "shortest delay that --delay=auto chooses"),
                duration("max-delay", "30s", "longest delay that --delay=auto chooses"),
                factor(
                        "delay-factor",
                        "2",
                        "with --delay=auto, pause for NUMBER times the host's response time"),
                duration(
                                "delay-ip",
                                AUTO,
                                "pause between requests to one IP address, which several hosts may"
                                        + " share; auto is 100ms, never longer than --delay")
                        .withPlaceholder("TIME|auto"),
                duration(
                        "delay-domain",
                        "0",
                        "pause between requests to one registrable domain, for all its hosts"),
                list(
                        "host-rule",
                        "'PATTERN [delay=TIME] [concurrency=N]'",
                        "",
                        "set delay and concurrency of some hosts, such as '*.example.com delay=5s';"
                                + " PATTERN is example.com, *.example.com (its subdomains) or"
                                + " .example.com (both); repeatable"),
                list(
                        "rate-group",
                        "'PATTERN|ADDR/BITS TIME [concurrency=N]'",
                        "",
                        "hosts that share one delay, such as several names of one server: TIME"
                                + " between requests, at most N in flight; '.example.com 2s"
                                + " concurrency=4' or '192.0.2.0/24 1s'; repeatable"),
                text(
                        "exclude-hosts",
                        "FILE",
                        "file of hosts not to request, one PATTERN per line as in --host-rule;"
                                + " # starts a comment; reread when it changes"),
                duration(
                        "error-backoff",
                        "2s",
                        "extra delay for a host after a server error or failed connection, doubled"
                                + " for each further one in a row up to 30s, reset by a successful"
                                + " response; 0: off"),
                duration(
                        "max-retry-after",
                        "1d",
                        "pause at most TIME for a host that sends Retry-After, for pages and"
                                + " robots.txt"),
                new Setting(
                        Choice.NOFOLLOW,
                        "ignore",
                        "obey: do not follow links marked nofollow, ugc or sponsored; a nofollow"
                                + " for the whole page (meta robots, X-Robots-Tag) is always"
                                + " obeyed"),
                new Setting(
                        Choice.PURPOSE,
                        "none",
                        "what the pages are for; pages that opt out of this use (noindex,"
                                + " noarchive, noai and others) are fetched but not kept"));
    }

    private static List<Setting> network() {
        return group(
                SettingGroup.NETWORK,
                duration("timeout", "60s", "time limit for a whole request"),
                duration("connect-timeout", "10s", "time limit for TCP connect and TLS handshake"),
                duration(
                        "first-byte-timeout",
                        "20s",
                        "time limit for the first byte of the response"),
                duration("dns-timeout", "10s", "time limit for a DNS lookup"),
                duration("idle-timeout", "30s", "close an unused connection after TIME"),
                count("max-retries", "2", "retry a failed request at most N times"),
                duration(
                        "retry-delay",
                        "5s",
                        "first retry after TIME, each further one after six times the last wait"),
                text(
                                "proxy",
                                "URL",
                                "http://, socks4:// or socks5://[USER:PASSWORD@]HOST:PORT to"
                                        + " connect through; env:NAME as PASSWORD reads it from the"
                                        + " environment")
                        .asSecret(),
                list(
                                "header",
                                "'HOST NAME: VALUE'",
                                "",
                                "request header for one host, such as 'example.com X-Key: abc';"
                                        + " repeatable")
                        .asSecret(),
                list(
                                "credentials",
                                "'ORIGIN basic|bearer SECRET'",
                                "",
                                "HTTP authentication for one origin, such as 'https://example.com"
                                    + " basic USER:PASSWORD' or 'https://example.com bearer"
                                    + " env:NAME'; env:NAME reads the secret from the environment"
                                    + " and does not store it; repeatable")
                        .asSecret(),
                toggle("cookies", "false", "accept cookies and send them back"),
                text(
                        CookiesFile.KEY,
                        "FILE",
                        "send the cookies of FILE (Netscape cookies.txt format), each only to its"
                                + " own site; their values are not stored"),
                toggle(
                        "http2",
                        "false",
                        "use HTTP/2 where a server offers it over TLS, with one connection per"
                                + " host; otherwise HTTP/1.1"),
                toggle("insecure", "false", "accept any TLS certificate, like curl -k"),
                list(
                        "resolve",
                        "HOST=ADDR",
                        "",
                        "use IP address ADDR for HOST instead of a DNS lookup; repeatable"),
                text("dns-server", "ADDR:PORT", "DNS server to use (default: the system's)"),
                toggle(
                        "allow-private",
                        "false",
                        "allow private and loopback addresses; needed for those found in links,"
                                + " --seeds or by DNS, not for a URL argument such as"
                                + " http://127.0.0.1/; link-local addresses and cloud metadata"
                                + " services stay blocked"),
                list(
                        ALLOW_ADDRESSES,
                        "ADDR/BITS",
                        "",
                        "allow connections to this address range even if it is private or"
                                + " link-local, such as 10.1.0.0/16; repeatable"),
                list(
                        ALLOW_ORIGINS,
                        "SCHEME://HOST:PORT",
                        AUTO,
                        "allow this origin to have a private or loopback address; auto allows seeds"
                            + " that were given as an IP address or localhost on the command line;"
                            + " repeatable"),
                count(
                                "max-connections",
                                AUTO,
                                "connections open at the same time, idle ones included; auto is 6"
                                        + " times --concurrency")
                        .withPlaceholder("N|auto"),
                count(
                                "max-connections-per-host",
                                AUTO,
                                "connections open at once to one server (address, port and TLS"
                                        + " name); auto is --concurrency")
                        .withPlaceholder("N|auto"),
                size("max-header", "64KB", "reject responses whose headers are larger than SIZE"));
    }

    private static List<Setting> output() {
        return group(
                SettingGroup.OUTPUT,
                new Setting(Choice.WARC_COMPRESSION, "gzip", "compression of WARC files"),
                size("max-warc-size", "1GB", "start a new WARC file at SIZE"),
                new Setting(
                        Choice.WARC_DIGESTS,
                        "payload",
                        "digests in WARC records: of block and payload, or of the payload only,"
                                + " which costs half as much"),
                toggle(
                        WARC_REVISITS,
                        "true",
                        "replace content that is already stored by a reference to it (revisit"
                                + " record)"),
                list(
                        DEDUPE_WITH,
                        "DIR|FILE|s3://BUCKET/PREFIX",
                        "",
                        "also refer to content that another crawl has stored, in a directory or"
                                + " copied with --s3, or that a WARC or WACZ file has;"
                                + " repeatable"),
                text(
                        Retention.KEY,
                        "AGE|SIZE",
                        "drop captures that were replaced longer than AGE ago, such as 90d, or as"
                                + " many as keep the WARC files below SIZE, such as 200GB; both:"
                                + " 90d,200GB; when a run starts, while it runs, and with"
                                + " 'compact'"),
                toggle(
                        "warc-outlinks",
                        "false",
                        "also write a metadata record with the outlinks of each page"),
                toggle(
                        "warc-dns",
                        "false",
                        "also write a record with the resolved address of each host"));
    }

    private static List<Setting> advanced() {
        return group(
                SettingGroup.ADVANCED,
                duration(
                        "max-idle-wait",
                        "60s",
                        "if only failing and resting hosts are left, wait at most TIME for them,"
                                + " then exit with code 5; 'resume' continues later"),
                duration(
                        "stop-grace",
                        "5s",
                        "on Ctrl+C, let requests in flight finish for up to TIME"),
                count(
                        "max-queued-urls",
                        "none",
                        "pause link-following above N queued URLs: pages are stored, and their"
                                + " links followed when the queue has shrunk to half"),
                size(
                        "max-frontier-disk",
                        "none",
                        "like --max-queued-urls, while queued URLs use more than SIZE of disk"),
                size(
                        "min-free-disk",
                        "256MB",
                        "like --max-queued-urls, while less than SIZE of the disk is free"),
                duration(
                        "max-disk-wait",
                        "60s",
                        "wait at most TIME for a full or failing disk, then end the crawl"),
                new Setting(
                        Choice.DURABILITY,
                        "process",
                        "process: stored pages survive a crash of the program; power: also a power"
                                + " failure, but slower"),
                size("max-parse-bytes", "10MB", "search at most SIZE of a document for links"),
                count(
                        "max-decompression-ratio",
                        "200",
                        "decompress a document to at most N times its compressed size"),
                toggle(
                        "sort-query",
                        "false",
                        "URLs that differ only in the order of query parameters count as one"),
                toggle(
                        "ignore-tracking",
                        "false",
                        "URLs that differ only in tracking parameters (utm_*, gclid and others)"
                                + " count as one"),
                toggle(
                        "ignore-sessions",
                        "false",
                        "URLs that differ only in a session id (PHPSESSID, jsessionid and others)"
                                + " count as one"),
                list(
                        "ignore-parameters",
                        "NAME,...",
                        "",
                        "URLs that differ only in these query parameters count as one;"
                                + " comma-separated, * at the end matches any rest"),
                toggle(
                        "ignore-trailing-slash",
                        "false",
                        "URLs that differ only in a slash at the end of the path count as one"),
                toggle(
                        "ignore-index-file",
                        "false",
                        "a directory and its index.html, index.php and others count as one URL"));
    }

    private static List<Setting> group(SettingGroup group, Setting... settings) {
        return Arrays.stream(settings).map(setting -> setting.in(group)).toList();
    }

    public Settings with(ModuleExtension extension) {
        var joined = new ArrayList<>(all);
        joined.addAll(extension.settings());
        var both = new ArrayList<>(extensions);
        both.add(extension);
        return new Settings(joined, both);
    }

    private static Setting count(String key, String fallback, String help) {
        return new Setting(key, COUNT, fallback, help);
    }

    private static Setting duration(String key, String fallback, String help) {
        return new Setting(key, DURATION, fallback, help);
    }

    private static Setting factor(String key, String fallback, String help) {
        return new Setting(key, FACTOR, fallback, help);
    }

    private static Setting list(String key, String placeholder, String fallback, String help) {
        return new Setting(key, LIST, fallback, help).withPlaceholder(placeholder);
    }

    private static Setting size(String key, String fallback, String help) {
        return new Setting(key, SIZE, fallback, help);
    }

    private static Setting toggle(String key, String fallback, String help) {
        return new Setting(key, SWITCH, fallback, help);
    }

    private static Setting text(String key, String placeholder, String help) {
        return new Setting(key, TEXT, "", help).withPlaceholder(placeholder);
    }

    /** Returns this table with the extensions that only the other table has. */
    Settings withExtensionsOf(Settings other) {
        var joined = this;
        for (var extension : other.extensions) {
            if (!joined.has(extension)) {
                joined = joined.with(extension);
            }
        }
        return joined;
    }

    /** Returns whether an extension is here: by its settings, or by its class if it has none. */
    private boolean has(ModuleExtension extension) {
        var settings = extension.settings();
        return settings.isEmpty()
                ? extensions.stream().anyMatch(it -> it.getClass().equals(extension.getClass()))
                : settings.stream().allMatch(setting -> byKey.containsKey(setting.key()));
    }

    public List<ModuleExtension> extensions() {
        return extensions;
    }

    public boolean isOfExtension(String key) {
        return byKey.containsKey(key) && !CORE.byKey.containsKey(key);
    }

    public boolean isSecret(String key) {
        return find(key).filter(Setting::secret).isPresent();
    }

    /** Whether a setting is left out of WARC files: seeds, which may be many, and secrets. */
    boolean isPrivate(String key) {
        return key.equals(SEEDS) || key.equals(CookiesFile.KEY) || isSecret(key);
    }

    public List<Setting> all() {
        return all;
    }

    public Optional<Setting> find(String key) {
        return Optional.ofNullable(byKey.get(key));
    }

    /** Returns the setting that was probably meant, if the name is a typo or a beginning of it. */
    Optional<String> nearest(String key) {
        return EditDistance.nearest(key, byKey.keySet());
    }
}
