package dev.orbweaver.config;

import dev.orbweaver.internal.crawl.CrawlSettings;
import dev.orbweaver.internal.frontier.IntakeLimits;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.disk.DiskSettings.Durability;
import dev.orbweaver.internal.scope.ScopeSettings;
import dev.orbweaver.internal.sink.Compression;
import dev.orbweaver.internal.sink.RecordOptions;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.PrintableText;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The checked settings of a crawl, one record for each package.
 *
 * @param key under which the fingerprints of its URLs are taken; the public one until the crawl has
 *     a frontier
 * @param excludeHosts a file of hosts to be left alone, besides the crawl's own
 * @param settingValues the same as written, to be kept with the crawl
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
        Optional<Path> excludeHosts,
        SettingValues settingValues) {

    /** No more of a setting is told. */
    private static final int PUBLIC_VALUE_MAX = 1000;

    public CrawlConfig {
        seeds = List.copyOf(seeds);
    }

    /** How much of the disk queued URLs may take, and how much must stay free. */
    public record Space(long queuedUrlsMax, long queuedBytesMax, long freeBytesMin) {}

    public record Warc(Compression compression, long fileBytesMax, RecordOptions records) {}

    /** The settings of a crawl of these seeds, all else by default. */
    public static CrawlConfig of(String... seeds) throws ConfigException {
        return read(new SettingValues().put(Settings.SEEDS, List.of(seeds)));
    }

    /** Checks everything and reports every problem at once. */
    public static CrawlConfig read(SettingValues settingValues) throws ConfigException {
        return new ConfigReader(settingValues).read();
    }

    /** The given settings without seeds (there may be many) and secrets, each in one line. */
    public Map<String, String> publicSettings() {
        var told = new TreeMap<String, String>();
        for (var setting : settingValues.table().all()) {
            var key = setting.key();
            if (settingValues.has(key) && !settingValues.table().isPrivate(key)) {
                told.put(key, line(settingValues.list(key)));
            }
        }
        return told;
    }

    private static String line(List<String> texts) {
        var line = PrintableText.line(String.join(", ", texts)).replaceAll(" +", " ").strip();
        return line.length() > PUBLIC_VALUE_MAX
                ? line.substring(0, PUBLIC_VALUE_MAX) + "..."
                : line;
    }

    /** Lowers workers and connections to what the machine allows; the settings as written stay. */
    public CrawlConfig limitedTo(int workersMax, int connectionsMax) {
        return new CrawlConfig(
                seeds,
                scope,
                politeness,
                crawl.withConcurrencyMax(workersMax),
                networkSettings.limitedTo(connectionsMax),
                warc,
                normalisation,
                key,
                intake,
                durability,
                space,
                excludeHosts,
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
                excludeHosts,
                settingValues);
    }
}
