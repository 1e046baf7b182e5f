package dev.orbweaver.store;

import dev.orbweaver.archive.CommittedCrawl;
import dev.orbweaver.config.CheckedValues;
import dev.orbweaver.config.Setting;
import dev.orbweaver.config.SinkExtension;
import dev.orbweaver.config.Values;
import dev.orbweaver.sink.SinkFollowers;

import java.io.IOException;
import java.util.List;

/** MongoDB and S3 as sinks of a crawl. */
public final class StoreExtension implements SinkExtension {

    @Override
    public List<Setting> settings() {
        return StoreSettings.TABLE;
    }

    @Override
    public void check(CheckedValues values) {
        var _ = StoreSettings.read(values);
    }

    @Override
    public void separate(Values values, String worker) {
        values.last("s3")
                .filter(place -> !place.isEmpty())
                .ifPresent(place -> values.put("s3", place + "/" + worker));
    }

    @Override
    public SinkFollowers start(Values values, CommittedCrawl crawl) throws IOException {
        return Stores.start(StoreSettings.read(new CheckedValues(values)), crawl);
    }
}
