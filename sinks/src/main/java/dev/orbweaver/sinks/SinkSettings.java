package dev.orbweaver.sinks;

import static dev.orbweaver.config.Setting.ValueType.COUNT;
import static dev.orbweaver.config.Setting.ValueType.DURATION;
import static dev.orbweaver.config.Setting.ValueType.SWITCH;
import static dev.orbweaver.config.Setting.ValueType.TEXT;

import dev.orbweaver.config.CheckedValues;
import dev.orbweaver.config.Choice;
import dev.orbweaver.config.Setting;
import dev.orbweaver.sinks.mongo.BodyCompression;
import dev.orbweaver.sinks.mongo.MongoSettings;
import dev.orbweaver.sinks.s3.S3Location;
import dev.orbweaver.sinks.s3.S3Settings;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/** The sinks that a crawl's settings name. */
public record SinkSettings(Optional<MongoSettings> mongodb, Optional<S3Settings> s3) {

    private static final String FROM_ENVIRONMENT = "env:";

    private static final Choice<BodyCompression> MONGODB_COMPRESSION =
            new Choice<>("mongodb-compression", BodyCompression.class);

    static final List<Setting> TABLE =
            List.of(
                    new Setting(
                                    "mongodb",
                                    TEXT,
                                    "",
                                    "URI of a MongoDB database to follow the crawl; env:NAME takes"
                                        + " it from the environment, so that a password in it is"
                                        + " not stored")
                            .asSecret(),
                    new Setting(MONGODB_COMPRESSION, "zstd", "zlib or zstd: of bodies there"),
                    new Setting(
                            "mongodb-batch", COUNT, "500", "documents a write there, 50 to 500"),
                    new Setting(
                            "mongodb-flush",
                            DURATION,
                            "1s",
                            "write fewer when a line of the page log has waited so long"),
                    new Setting(
                            "s3",
                            TEXT,
                            "",
                            "s3://BUCKET/PREFIX to copy the crawl to; credentials come from"
                                    + " AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and their like"),
                    new Setting("s3-endpoint", TEXT, "", "URL of a server other than Amazon's"),
                    new Setting(
                            "s3-interval",
                            DURATION,
                            "5m",
                            "how often to make a state there that can be restored"),
                    new Setting(
                            "s3-remove",
                            SWITCH,
                            "false",
                            "delete WARC files here once they were read back from there"));

    public boolean isEnabled() {
        return mongodb.isPresent() || s3.isPresent();
    }

    static SinkSettings read(CheckedValues checked) {
        var reader = new Reader(checked);
        return new SinkSettings(reader.mongodb(), reader.s3());
    }

    private record Reader(CheckedValues checked) {

        private Optional<MongoSettings> mongodb() {
            var compression = checked.choice(MONGODB_COMPRESSION);
            var flush = checked.delay("mongodb-flush");
            var batch = checked.count("mongodb-batch", 0);
            if (batch < MongoSettings.BATCH_MIN || batch > MongoSettings.BATCH_MAX) {
                checked.addProblem("mongodb-batch", "mongodb-batch takes a number from 50 to 500");
                return Optional.empty();
            }
            return uri().map(uri -> new MongoSettings(uri, compression, batch, flush));
        }

        /** It may hold a password, so problems do not quote it. */
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
                    checked.addProblem("mongodb", "mongodb: the environment has no " + name);
                    return Optional.empty();
                }
            }
            if (!uri.startsWith("mongodb://") && !uri.startsWith("mongodb+srv://")) {
                checked.addProblem(
                        "mongodb", "mongodb takes a URI such as mongodb://localhost/crawls");
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
            var place = S3Location.parse(text, endpoint);
            if (place.isEmpty()) {
                checked.addProblem(
                        "s3",
                        "s3: " + CheckedValues.quote(text) + " " + S3Location.errorMessage(text));
            }
            return place.map(there -> new S3Settings(there, interval, removes));
        }

        private Optional<URI> endpoint() {
            var text = checked.text("s3-endpoint");
            if (text.isEmpty()) {
                return Optional.empty();
            }
            var endpoint = S3Location.endpoint(text).filter(uri -> uri.getRawUserInfo() == null);
            if (endpoint.isEmpty()) {
                checked.addInvalid("s3-endpoint", text, "an http or https URL without a password");
            }
            return endpoint;
        }
    }
}
