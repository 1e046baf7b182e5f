package dev.orbweaver.store;

import dev.orbweaver.store.mongo.MongoSettings;
import dev.orbweaver.store.s3.S3Settings;

import java.util.Optional;

/** Which stores a crawl has. */
public record StoreSettings(Optional<MongoSettings> mongodb, Optional<S3Settings> s3) {

    /** None. */
    public static final StoreSettings NONE = new StoreSettings(Optional.empty(), Optional.empty());

    /** Whether there is any. */
    public boolean any() {
        return mongodb.isPresent() || s3.isPresent();
    }
}
