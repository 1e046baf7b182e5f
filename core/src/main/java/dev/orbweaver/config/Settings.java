package dev.orbweaver.config;

import static dev.orbweaver.config.Setting.ValueType.COUNT;
import static dev.orbweaver.config.Setting.ValueType.DURATION;
import static dev.orbweaver.config.Setting.ValueType.FACTOR;
import static dev.orbweaver.config.Setting.ValueType.LIST;
import static dev.orbweaver.config.Setting.ValueType.SIZE;
import static dev.orbweaver.config.Setting.ValueType.SWITCH;
import static dev.orbweaver.config.Setting.ValueType.TEXT;

import dev.orbweaver.internal.traps.TrapSettings;
import dev.orbweaver.model.FileExtensions;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** A table of settings in the order of the help text: {@link #CORE} and those of extensions. */
public final class Settings {

    /** The seeds: arguments on the command line, a list in YAML. */
    public static final String SEEDS = "seeds";

    /** Origins whose private addresses may be requested, because the operator named them. */
    public static final String ALLOW_ORIGINS = "allow-origins";

    /** Ranges of addresses that may be connected to, whatever they are. */
    public static final String ALLOW_ADDRESSES = "allow-addresses";

    /** Of a setting whose value follows from another's. */
    public static final String AUTO = "auto";

    private static final List<Setting> OF_EVERY_CRAWL =
            List.of(
                    list(SEEDS, "", "where to begin"),
                    new Setting(
                            Choice.PRESET,
                            "none",
                            "documentation (a manual below one path), large-site, careful (hardly"
                                + " to be felt) or archive (with requisites): other defaults for a"
                                + " purpose"),
                    count(
                            "max-pages",
                            "none",
                            "stop after so many pages; requests in flight may exceed it"),
                    duration("max-time", "none", "stop this run after so long"),
                    size("max-bytes", "none", "stop after so many bytes of bodies"),
                    count("depth", "none", "follow links at most so far from a seed"),
                    count("max-urls-per-host", "none", "take at most so many URLs of a host"),
                    count(
                            "max-urls-per-domain",
                            "none",
                            "take at most so many URLs of a registrable domain"),
                    count("max-hosts", "none", "take URLs of at most so many hosts"),
                    new Setting(
                            Choice.SCOPE,
                            "host",
                            "path, host (any scheme and port), domain or any: how far from the"
                                    + " seeds to go"),
                    list("include", "", "take only URLs in which this RE2 pattern is found"),
                    list("exclude", "", "leave out URLs in which this RE2 pattern is found"),
                    list(
                            "skip-extensions",
                            String.join(",", new TreeSet<>(FileExtensions.SKIPPED_BY_DEFAULT)),
                            "endings of links not to follow, comma-separated"),
                    list(
                            "skip-types",
                            "audio/*,video/*",
                            "media types of answers not to read, comma-separated"),
                    size("length-max", "none", "do not read answers that say they are longer"),
                    toggle(
                            "requisites",
                            "false",
                            "also take images, styles, scripts, fonts and media that pages need,"
                                    + " from any host, for archiving"),
                    duration(
                            "delay",
                            AUTO,
                            "wait between the end of an answer and the next request to its host;"
                                    + " auto follows how the host answers, from --delay-min to"
                                    + " --delay-max"),
                    duration("delay-min", "1s", "the shortest delay that auto comes to"),
                    duration("delay-max", "30s", "the longest delay that auto comes to"),
                    factor(
                            "delay-factor",
                            "2",
                            "auto leaves a host alone for so many times as long as it took to"
                                    + " answer"),
                    duration(
                            "error-backoff",
                            "2s",
                            "added to a host's delay after a server error or a failed connection,"
                                    + " doubled with each further one in a row, up to 30s; a good"
                                    + " response resets it; 0 is off"),
                    duration(
                            "delay-ip",
                            AUTO,
                            "wait between requests to one address; auto is 100ms, or --delay if"
                                    + " that is less"),
                    duration(
                            "delay-domain", "0", "wait between requests to one registrable domain"),
                    list(
                            "gate",
                            "",
                            "PATTERN TIME or ADDRESSES/BITS TIME: hosts or addresses that count as"
                                    + " one, and the wait between requests to any of them;"
                                    + " in-flight=COUNT behind it limits the requests in flight"),
                    list(
                            "host-rule",
                            "",
                            "PATTERN delay=TIME per-host=COUNT: hosts that are treated otherwise;"
                                    + " a pattern is NAME, *.NAME or .NAME for both"),
                    text(
                            "exclude-hosts",
                            "",
                            "a file of hosts to leave alone, one pattern a line; read again"
                                    + " whenever it changes"),
                    count("per-host", "1", "requests to one host at the same time"),
                    count("workers", "512", "requests at the same time in all"),
                    new Setting(
                            RobotsReader.KEY,
                            TEXT,
                            "obey",
                            "obey or ignore robots.txt, or custom FILE: go by this file instead, on"
                                    + " every host",
                            Choice.ROBOTS.ids()),
                    new Setting(
                            Choice.NOFOLLOW,
                            "ignore",
                            "obey or ignore rel=nofollow, ugc and sponsored on links; what a page"
                                    + " asks of all its links is always obeyed"),
                    new Setting(
                            Choice.PURPOSE,
                            "none",
                            "archive, search, ai-input or ai-train: do not keep pages whose owners"
                                    + " do not want that"),
                    toggle("sitemaps", "true", "read the sitemaps that robots.txt names"),
                    new Setting(
                            Choice.TRAPS,
                            "on",
                            "on or off: give up on parts of a site that go on for ever and bring"
                                    + " nothing new"),
                    count(
                            "trap-budget",
                            Integer.toString(TrapSettings.BUDGET),
                            "how many pages of one pattern may bring nothing before the rest of it"
                                    + " is given up"),
                    text("user-agent", "", "the User-Agent, instead of Orbweaver's own"),
                    text("contact", "", "a URL or address where you can be reached"),
                    list("resolve", "", "HOST=ADDR: the address to use for a host"),
                    text("dns", "", "ADDR:PORT of the name server to ask"),
                    text(
                                    "proxy",
                                    "",
                                    "http://, socks4:// or socks5://[USER:PASSWORD@]HOST:PORT to"
                                            + " connect through")
                            .asSecret(),
                    list("header", "", "HOST NAME: VALUE: a header for one host").asSecret(),
                    list(
                                    "credentials",
                                    "",
                                    "ORIGIN basic USER:PASSWORD or ORIGIN bearer TOKEN; env:NAME"
                                        + " takes the secret from the environment, so that it is"
                                        + " not stored")
                            .asSecret(),
                    toggle("cookies", "false", "keep cookies and send them back"),
                    toggle(
                            "allow-private",
                            "false",
                            "let links and names lead to private and loopback addresses; never to"
                                    + " link-local addresses and metadata services of clouds"),
                    list(
                            ALLOW_ADDRESSES,
                            "",
                            "ADDRESS/BITS: a range of addresses that may be connected to, whatever"
                                    + " it is"),
                    list(
                            ALLOW_ORIGINS,
                            AUTO,
                            "SCHEME://HOST:PORT whose private or loopback address may be connected"
                                    + " to; auto is those of seeds that are addresses and were"
                                    + " named on the command line"),
                    toggle("insecure", "false", "accept any TLS certificate"),
                    duration("timeout", "60s", "the time for a whole request"),
                    duration("timeout-connect", "10s", "the time for connecting"),
                    duration("timeout-first-byte", "20s", "the time for an answer to begin"),
                    duration("timeout-dns", "10s", "the time for looking up a name"),
                    duration(
                            "timeout-idle", "30s", "keep a connection so long for another request"),
                    count(
                            "connections",
                            AUTO,
                            "connections open at the same time, in use or kept; auto is six times"
                                    + " --workers"),
                    count(
                            "connections-per-host",
                            AUTO,
                            "the same of one address, port and TLS name; auto is --workers"),
                    size("head-max", "64KB", "refuse answers with a larger head"),
                    size("body-max", "20MB", "cut bodies here, and mark them truncated"),
                    size("content-max", "10MB", "read no more of a document for links"),
                    count(
                            "expansion-max",
                            "200",
                            "read no more of a document than so many times its compressed size"),
                    count("redirects-max", "10", "redirects in a row to follow"),
                    count("retries", "2", "how often to ask again after a failure"),
                    duration(
                            "retry-delay",
                            "5s",
                            "wait before the first retry; six times as long before each next"),
                    duration(
                            "max-retry-after",
                            "1d",
                            "leave a host alone for at most this long when it asks for quiet with"
                                    + " Retry-After, for pages and robots.txt"),
                    duration(
                            "patience",
                            "60s",
                            "wait so long when only retries and resting hosts are left"),
                    duration("grace", "5s", "on a stop, let pages under way finish so long"),
                    count(
                            "max-queued-urls",
                            "none",
                            "while more URLs are queued, store pages without following their"
                                    + " links; follow them once the queue is half that"),
                    size(
                            "max-frontier-disk",
                            "none",
                            "the same while queued URLs take more space than this"),
                    size("min-free-disk", "256MB", "the same while less of the disk is free"),
                    duration(
                            "disk-patience",
                            "60s",
                            "wait so long for a disk that is full or failing, then end"),
                    new Setting(
                            Choice.DURABILITY,
                            "process",
                            "process (survives its death) or power (survives a loss of power,"
                                    + " slower)"),
                    new Setting(Choice.WARC_COMPRESSION, "gzip", "gzip, zstd or none"),
                    size("warc-size", "1GB", "begin a new WARC file from this size on"),
                    new Setting(
                            Choice.WARC_DIGESTS,
                            "both",
                            "both, or payload alone: which digests WARC records have"),
                    toggle(
                            "warc-revisits",
                            "true",
                            "refer to an earlier record with the same payload instead of storing"
                                    + " it again"),
                    toggle(
                            "warc-outlinks",
                            "false",
                            "also write a metadata record with the links of each page"),
                    toggle("warc-dns", "false", "also write a record of the address of each host"),
                    toggle(
                            "sort-query",
                            "false",
                            "URLs that differ in the order of query parameters are one"),
                    toggle(
                            "drop-tracking",
                            "false",
                            "URLs that differ in tracking parameters are one"),
                    toggle("drop-sessions", "false", "URLs that differ in session ids are one"),
                    list(
                            "drop-parameters",
                            "",
                            "URLs that differ in these query parameters are one; comma-separated, a"
                                    + " final * stands for any rest"),
                    toggle(
                            "drop-trailing-slash",
                            "false",
                            "URLs that differ in a slash at the path's end are one"),
                    toggle(
                            "drop-index-file",
                            "false",
                            "a folder and its index.html, index.php and so on are one"));

    public static final Settings CORE = new Settings(OF_EVERY_CRAWL, List.of());

    private final List<Setting> all;
    private final Map<String, Setting> byKey = new LinkedHashMap<>();
    private final List<SinkExtension> extensions;

    private Settings(List<Setting> all, List<SinkExtension> extensions) {
        this.all = List.copyOf(all);
        this.extensions = List.copyOf(extensions);
        for (var setting : all) {
            if (byKey.put(setting.key(), setting) != null) {
                throw new IllegalArgumentException("two settings " + setting.key());
            }
        }
    }

    public Settings with(SinkExtension extension) {
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

    private static Setting list(String key, String fallback, String help) {
        return new Setting(key, LIST, fallback, help);
    }

    private static Setting size(String key, String fallback, String help) {
        return new Setting(key, SIZE, fallback, help);
    }

    private static Setting toggle(String key, String fallback, String help) {
        return new Setting(key, SWITCH, fallback, help);
    }

    private static Setting text(String key, String fallback, String help) {
        return new Setting(key, TEXT, fallback, help);
    }

    /** This table with the extensions that only the other one has. */
    Settings withExtensionsOf(Settings other) {
        var joined = this;
        for (var extension : other.extensions) {
            if (!joined.hasAll(extension.settings())) {
                joined = joined.with(extension);
            }
        }
        return joined;
    }

    private boolean hasAll(List<Setting> settings) {
        return settings.stream().allMatch(setting -> byKey.containsKey(setting.key()));
    }

    public List<SinkExtension> extensions() {
        return extensions;
    }

    public boolean isOfExtension(String key) {
        return byKey.containsKey(key) && !CORE.byKey.containsKey(key);
    }

    public boolean isSecret(String key) {
        return find(key).filter(Setting::secret).isPresent();
    }

    /** Whether WARC files say nothing of it: lists without end, and what may hold a secret. */
    boolean isPrivate(String key) {
        return key.equals(SEEDS) || isSecret(key);
    }

    public List<Setting> all() {
        return all;
    }

    public Optional<Setting> find(String key) {
        return Optional.ofNullable(byKey.get(key));
    }

    /** The name a user may have meant, if one is close. */
    Optional<String> nearest(String key) {
        return all.stream()
                .map(Setting::key)
                .min((a, b) -> Integer.compare(EditDistance.of(key, a), EditDistance.of(key, b)))
                .filter(best -> EditDistance.of(key, best) <= Math.max(2, key.length() / 2));
    }
}
