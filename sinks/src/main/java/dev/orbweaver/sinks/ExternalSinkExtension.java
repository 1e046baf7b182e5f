package dev.orbweaver.sinks;

import dev.orbweaver.internal.archive.CommittedCrawl;
import dev.orbweaver.internal.config.CheckedValues;
import dev.orbweaver.internal.config.ModuleExtension;
import dev.orbweaver.internal.config.Setting;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.sink.RemoteCrawl;
import dev.orbweaver.internal.sink.SinkFollowers;
import dev.orbweaver.sinks.s3.BucketCrawl;
import dev.orbweaver.sinks.s3.S3Location;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Provides MongoDB and S3 as sinks of a crawl. */
public final class ExternalSinkExtension implements ModuleExtension {

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
    public Optional<RemoteCrawl> openCrawl(SettingValues settingValues, String place)
            throws IOException {
        var endpoint = settingValues.last("s3-endpoint").flatMap(S3Location::endpoint);
        var location = S3Location.parse(place, endpoint);
        if (location.isEmpty()) {
            throw new IOException("dedupe-with: " + place + " " + S3Location.errorMessage(place));
        }
        return Optional.of(BucketCrawl.open(location.get()));
    }

    @Override
    public void addDependents(SettingValues settingValues, Path crawl) throws IOException {
        var s3 = SinkSettings.read(new CheckedValues(settingValues)).s3();
        if (s3.isPresent()) {
            BucketCrawl.addDependents(s3.get().location(), crawl);
        }
    }

    @Override
    public SinkFollowers start(SettingValues settingValues, CommittedCrawl crawl)
            throws IOException {
        return ExternalSinks.start(SinkSettings.read(new CheckedValues(settingValues)), crawl);
    }
}
