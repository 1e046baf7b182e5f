package dev.orbweaver.sinks;

import dev.orbweaver.internal.archive.CommittedCrawl;
import dev.orbweaver.internal.config.CheckedValues;
import dev.orbweaver.internal.config.Setting;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.SinkExtension;
import dev.orbweaver.internal.sink.SinkFollowers;

import java.io.IOException;
import java.util.List;

/** Provides MongoDB and S3 as sinks of a crawl. */
public final class ExternalSinkExtension implements SinkExtension {

    @Override
    public List<Setting> settings() {
        return SinkSettings.TABLE;
    }

    @Override
    public void check(CheckedValues values) {
        var _ = SinkSettings.read(values);
    }

    @Override
    public void separate(SettingValues settingValues, String worker) {
        settingValues
                .last("s3")
                .filter(place -> !place.isEmpty())
                .ifPresent(place -> settingValues.put("s3", place + "/" + worker));
    }

    @Override
    public SinkFollowers start(SettingValues settingValues, CommittedCrawl crawl)
            throws IOException {
        return ExternalSinks.start(SinkSettings.read(new CheckedValues(settingValues)), crawl);
    }
}
