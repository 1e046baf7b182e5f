package dev.orbweaver.export;

import dev.orbweaver.internal.archive.CommittedCrawl;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.MainTextComparison;
import dev.orbweaver.internal.config.CheckedValues;
import dev.orbweaver.internal.config.ModuleExtension;
import dev.orbweaver.internal.config.Setting;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.sink.SinkFollowers;

import java.util.List;
import java.util.Optional;

/** Compares the main texts of two visits of a page, as Markdown has them. It has no settings. */
public final class ExportExtension implements ModuleExtension {

    @Override
    public Optional<MainTextComparison> textComparison(CrawlPages pages) {
        return Optional.of(new VisitComparison(pages));
    }

    @Override
    public List<Setting> settings() {
        return List.of();
    }

    @Override
    public void check(CheckedValues values) {}

    @Override
    public SinkFollowers start(SettingValues settingValues, CommittedCrawl crawl) {
        return SinkFollowers.NONE;
    }
}
