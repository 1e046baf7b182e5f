package dev.orbweaver.internal.config;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.crawl.CrawlSettings;
import dev.orbweaver.internal.frontier.IntakeLimits;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.scope.ScopeSettings;
import dev.orbweaver.internal.sink.Compression;
import dev.orbweaver.internal.sink.RecordOptions;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.Durability;
import dev.orbweaver.model.PrintableText;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The checked settings of a crawl, one record for each package.
 *
 * @param key the key of URL fingerprints; the public key until the crawl has a frontier
 * @param excludeHosts a file of excluded hosts, in addition to the crawl's own list
 * @param cookiesFile a file of cookies to send, read when the crawl is opened: the directory of a
 *     crawl can be read without it
 * @param settingValues the settings as written, stored with the crawl
 */
public record CrawlConfig(
        List<Seed> seeds,
        ScopeSettings scope,
        Politeness politeness,
        CrawlSettings crawl,
        NetworkSettings networkSettings,
        Warc warc,
        Normalisation normalisation,
        FingerprintKey key,
        IntakeLimits intake,
        Durability durability,
        Space space,
        RevisitPlan revisit,
        Optional<Path> excludeHosts,
        Optional<Path> cookiesFile,
        SettingValues settingValues) {

    /** Longer values are truncated in WARC files. */
    private static final int PUBLIC_VALUE_MAX = 1000;

    public CrawlConfig {
        seeds = List.copyOf(seeds);
    }

    /** Limits on queued URLs, and the disk space that must stay free. */
    public record Space(long queuedUrlsMax, long queuedBytesMax, long freeBytesMin) {}

    /**
     * How the output is written.
     *
     * @param dedupeWith other crawls whose payloads are referred to: absolute paths and {@link
     *     #isRemote remote places}
     * @param retention which replaced captures are dropped
     */
    public record Warc(
            Compression compression,
            long fileBytesMax,
            RecordOptions records,
            List<String> dedupeWith,
            Retention retention) {

        public Warc {
            dedupeWith = List.copyOf(dedupeWith);
        }
    }

    /** Returns whether the place of a crawl is a location in a bucket, not a directory. */
    public static boolean isRemote(String place) {
        return place.startsWith("s3://");
    }

    /** Returns the default settings for a crawl of these seeds. */
    public static CrawlConfig of(String... seeds) throws ConfigException {
        return read(new SettingValues().put(Settings.SEEDS, List.of(seeds)));
    }

    /** Checks everything and reports every problem at once. */
    public static CrawlConfig read(SettingValues settingValues) throws ConfigException {
        return new ConfigReader(settingValues).read();
    }

    /** Returns the first seed, for headings; an imported crawl has seed lists only. */
    public String firstSeed() {
        return seeds.isEmpty() ? "seed lists" : seeds.getFirst().url().text();
    }

    /** Returns the first seed and how many there are, in one line for users. */
    public String seedsText() {
        return switch (seeds.size()) {
            case 0 -> "the URLs of its seed lists";
            case 1 -> seeds.getFirst().url().toString();
            default -> seeds.getFirst().url() + " and " + (seeds.size() - 1) + " more";
        };
    }

    /** Returns the settings as written, one line each, without seeds (may be many) and secrets. */
    public Map<String, String> publicSettings() {
        var settings = new TreeMap<String, String>();
        for (var setting : settingValues.table().all()) {
            var key = setting.key();
            if (settingValues.has(key) && !settingValues.table().isPrivate(key)) {
                settings.put(key, line(settingValues.list(key)));
            }
        }
        return settings;
    }

    private static String line(List<String> texts) {
        var line = PrintableText.line(String.join(", ", texts)).replaceAll(" +", " ").strip();
        return line.length() > PUBLIC_VALUE_MAX
                ? line.substring(0, PUBLIC_VALUE_MAX) + "..."
                : line;
    }

    /** Lowers concurrency and connections to what the machine allows; stored settings stay. */
    public CrawlConfig limitedTo(int concurrencyMax, int connectionsMax) {
        return new CrawlConfig(
                seeds,
                scope,
                politeness,
                crawl.withConcurrencyMax(concurrencyMax),
                networkSettings.limitedTo(connectionsMax),
                warc,
                normalisation,
                key,
                intake,
                durability,
                space,
                revisit,
                excludeHosts,
                cookiesFile,
                settingValues);
    }

    public CrawlConfig withSetting(String setting, String value) throws ConfigException {
        return read(new SettingValues().putAll(settingValues).put(setting, value)).withKey(key);
    }

    public CrawlUrls urls() {
        return new CrawlUrls(normalisation, key);
    }

    public CrawlConfig withKey(FingerprintKey frontierKey) {
        var urls = new CrawlUrls(normalisation, frontierKey);
        return new CrawlConfig(
                seeds.stream()
                        .map(seed -> new Seed(urls.rekeyed(seed.url()), seed.schemeGuessed()))
                        .toList(),
                scope,
                politeness,
                crawl,
                networkSettings,
                warc,
                normalisation,
                frontierKey,
                intake,
                durability,
                space,
                revisit,
                excludeHosts,
                cookiesFile,
                settingValues);
    }

    /**
     * Reads the cookies file, if there is one.
     *
     * @throws ConfigException with a problem for every line that is not a cookie
     */
    public CookiesFile readCookies(Instant now) throws ConfigException {
        return cookiesFile.isPresent()
                ? CookiesFile.read(cookiesFile.get(), now)
                : CookiesFile.EMPTY;
    }

    /** Returns this configuration with cookies to send; they are not part of the settings. */
    public CrawlConfig withCookies(CookiesFile cookies) {
        return new CrawlConfig(
                seeds,
                scope,
                politeness,
                crawl,
                networkSettings.withFileCookies(cookies.cookies()),
                warc,
                normalisation,
                key,
                intake,
                durability,
                space,
                revisit,
                excludeHosts,
                cookiesFile,
                settingValues);
    }
}
