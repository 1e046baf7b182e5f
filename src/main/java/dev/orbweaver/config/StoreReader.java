package dev.orbweaver.config;

import dev.orbweaver.store.StoreSettings;
import dev.orbweaver.store.mongo.MongoSettings;
import dev.orbweaver.store.s3.S3Place;
import dev.orbweaver.store.s3.S3Settings;

import java.net.URI;
import java.util.Optional;

/** The settings of places that follow a crawl. */
final class StoreReader {

    private static final String FROM_ENVIRONMENT = "env:";

    private final CheckedValues checked;

    StoreReader(CheckedValues checked) {
        this.checked = checked;
    }

    StoreSettings read() {
        return new StoreSettings(mongodb(), s3());
    }

    private Optional<MongoSettings> mongodb() {
        var compression = checked.choice(Choice.MONGODB_COMPRESSION);
        var flush = checked.delay("mongodb-flush");
        var batch = checked.count("mongodb-batch", 0);
        if (batch < MongoSettings.BATCH_MIN || batch > MongoSettings.BATCH_MAX) {
            checked.problem("mongodb-batch takes a number from 50 to 500");
            return Optional.empty();
        }
        return uri().map(uri -> new MongoSettings(uri, compression, batch, flush));
    }

    /** It may hold a password, so a problem is told without it. */
    private Optional<String> uri() {
        var text = checked.text("mongodb");
        if (text.isEmpty()) {
            return Optional.empty();
        }
        var uri = text;
        if (text.startsWith(FROM_ENVIRONMENT)) {
            var name = text.substring(FROM_ENVIRONMENT.length());
            uri = Optional.ofNullable(System.getenv(name)).orElse("");
            if (uri.isEmpty()) {
                checked.problem("mongodb: the environment has no " + name);
                return Optional.empty();
            }
        }
        if (!uri.startsWith("mongodb://") && !uri.startsWith("mongodb+srv://")) {
            checked.problem("mongodb takes a URI such as mongodb://localhost/crawls");
            return Optional.empty();
        }
        return Optional.of(uri);
    }

    private Optional<S3Settings> s3() {
        var interval = checked.timeout("s3-interval");
        var removes = checked.flag("s3-remove");
        var endpoint = endpoint();
        var text = checked.text("s3");
        if (text.isEmpty()) {
            return Optional.empty();
        }
        var place = S3Place.of(text, endpoint);
        if (place.isEmpty()) {
            checked.problem("s3: " + CheckedValues.quoted(text) + " " + S3Place.fault(text));
        }
        return place.map(there -> new S3Settings(there, interval, removes));
    }

    private Optional<URI> endpoint() {
        var text = checked.text("s3-endpoint");
        if (text.isEmpty()) {
            return Optional.empty();
        }
        var endpoint = S3Place.endpoint(text).filter(uri -> uri.getRawUserInfo() == null);
        if (endpoint.isEmpty()) {
            checked.problem(
                    "s3-endpoint: "
                            + CheckedValues.quoted(text)
                            + " is not an http or https URL without a password");
        }
        return endpoint;
    }
}
