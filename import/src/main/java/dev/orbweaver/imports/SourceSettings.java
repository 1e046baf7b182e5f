package dev.orbweaver.imports;

import static dev.orbweaver.internal.config.Setting.ValueType.DURATION;
import static dev.orbweaver.internal.config.Setting.ValueType.TEXT;

import dev.orbweaver.internal.archive.CommittedCrawl;
import dev.orbweaver.internal.config.CheckedValues;
import dev.orbweaver.internal.config.ModuleExtension;
import dev.orbweaver.internal.config.Setting;
import dev.orbweaver.internal.config.SettingGroup;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.sink.SinkFollowers;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CrawlUrl;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Settings of sources that are servers.
 *
 * @param ct search of certificate transparency logs, with responses in the form of crt.sh
 * @param commonCrawl index server of Common Crawl
 * @param wayback CDX server of the Wayback Machine
 * @param indexDelay minimum pause between two requests to one of these servers
 */
record SourceSettings(CrawlUrl ct, CrawlUrl commonCrawl, CrawlUrl wayback, Duration indexDelay) {

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    private static final String CT = "ct-endpoint";
    private static final String COMMON_CRAWL = "common-crawl-endpoint";
    private static final String WAYBACK = "wayback-endpoint";
    private static final String DELAY = "index-delay";

    private static final List<Setting> TABLE =
            Stream.of(
                            new Setting(
                                            CT,
                                            TEXT,
                                            "https://crt.sh/",
                                            "certificate search of the source ct, in the form of"
                                                    + " crt.sh")
                                    .withPlaceholder("URL"),
                            new Setting(
                                            COMMON_CRAWL,
                                            TEXT,
                                            "https://index.commoncrawl.org/",
                                            "index server of the source common-crawl")
                                    .withPlaceholder("URL"),
                            new Setting(
                                            WAYBACK,
                                            TEXT,
                                            "https://web.archive.org/cdx/search/cdx",
                                            "CDX server of the source wayback")
                                    .withPlaceholder("URL"),
                            new Setting(
                                    DELAY,
                                    DURATION,
                                    "1s",
                                    "pause between two requests to one of these servers; --delay"
                                            + " applies too if it is longer"))
                    .map(setting -> setting.in(SettingGroup.ADVANCED))
                    .toList();

    static SourceSettings read(CheckedValues checked) {
        return new SourceSettings(
                endpoint(checked, CT),
                endpoint(checked, COMMON_CRAWL),
                endpoint(checked, WAYBACK),
                checked.delay(DELAY));
    }

    private static CrawlUrl endpoint(CheckedValues checked, String key) {
        var text = checked.text(key);
        var url = URLS.parse(text);
        if (url.isEmpty()) {
            checked.addInvalid(key, text, "an http or https URL");
        }
        return url.orElseGet(() -> URLS.parse("https://invalid/").orElseThrow());
    }

    /** Adds the settings to a table of settings. */
    static final class Extension implements ModuleExtension {

        @Override
        public List<Setting> settings() {
            return TABLE;
        }

        @Override
        public void check(CheckedValues values) {
            var _ = read(values);
        }

        @Override
        public SinkFollowers start(SettingValues settingValues, CommittedCrawl crawl) {
            return SinkFollowers.NONE;
        }
    }
}
