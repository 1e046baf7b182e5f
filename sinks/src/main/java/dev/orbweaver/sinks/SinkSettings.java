package dev.orbweaver.sinks;

import static dev.orbweaver.internal.config.Setting.ValueType.COUNT;
import static dev.orbweaver.internal.config.Setting.ValueType.DURATION;
import static dev.orbweaver.internal.config.Setting.ValueType.SWITCH;
import static dev.orbweaver.internal.config.Setting.ValueType.TEXT;

import dev.orbweaver.internal.config.CheckedValues;
import dev.orbweaver.internal.config.Choice;
import dev.orbweaver.internal.config.Setting;
import dev.orbweaver.internal.config.SettingGroup;
import dev.orbweaver.sinks.mongo.BodyCompression;
import dev.orbweaver.sinks.mongo.MongoSettings;
import dev.orbweaver.sinks.s3.S3Location;
import dev.orbweaver.sinks.s3.S3Settings;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Settings of the external sinks of a crawl; empty for a sink that is not configured. */
public record SinkSettings(Optional<MongoSettings> mongodb, Optional<S3Settings> s3) {

    private static final String FROM_ENVIRONMENT = "env:";

    private static final Choice<BodyCompression> MONGODB_COMPRESSION =
            new Choice<>("mongodb-compression", BodyCompression.class);

    static final List<Setting> TABLE =
            Stream.of(
                            new Setting(
                                            "mongodb",
                                            TEXT,
                                            "",
                                            "also store pages in this MongoDB database, such as"
                                                    + " mongodb://localhost/crawls; env:NAME reads"
                                                    + " the URI from the environment and does not"
                                                    + " store its password")
                                    .withPlaceholder("URI")
                                    .asSecret(),
                            new Setting(
                                    MONGODB_COMPRESSION,
                                    "zstd",
                                    "compression of bodies in MongoDB"),
                            new Setting(
                                    "mongodb-batch",
                                    COUNT,
                                    "500",
                                    "documents per MongoDB write, 50 to 500"),
                            new Setting(
                                    "mongodb-flush",
                                    DURATION,
                                    "1s",
                                    "write a smaller batch to MongoDB when a page has waited for"
                                            + " TIME"),
                            new Setting(
                                            "s3",
                                            TEXT,
                                            "",
                                            "also copy the crawl to this S3 bucket; credentials"
                                                    + " come from AWS_ACCESS_KEY_ID,"
                                                    + " AWS_SECRET_ACCESS_KEY or the AWS"
                                                    + " configuration files")
                                    .withPlaceholder("s3://BUCKET/PREFIX"),
                            new Setting(
                                            "s3-endpoint",
                                            TEXT,
                                            "",
                                            "URL of an S3-compatible server (default: Amazon S3)")
                                    .withPlaceholder("URL"),
                            new Setting(
                                    "s3-interval",
                                    DURATION,
                                    "5m",
                                    "time between checkpoints in S3 that 'restore' can read"),
                            new Setting(
                                    "s3-delete-local",
                                    SWITCH,
                                    "false",
                                    "delete local WARC files after their copies in S3 were read"
                                            + " back and compared"))
                    .map(setting -> setting.in(SettingGroup.OUTPUT))
                    .toList();

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
                checked.addProblem(
                        "mongodb-batch", "mongodb-batch: expected a number from 50 to 500");
                return Optional.empty();
            }
            return uri().map(uri -> new MongoSettings(uri, compression, batch, flush));
        }

        /** Reads the MongoDB URI; it may contain a password, so problems do not quote it. */
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
                    checked.addProblem(
                            "mongodb", "mongodb: environment variable " + name + " is not set");
                    return Optional.empty();
                }
            }
            if (!uri.startsWith("mongodb://") && !uri.startsWith("mongodb+srv://")) {
                checked.addProblem(
                        "mongodb", "mongodb: expected a URI such as mongodb://localhost/crawls");
                return Optional.empty();
            }
            return Optional.of(uri);
        }

        private Optional<S3Settings> s3() {
            var interval = checked.timeout("s3-interval");
            var deleteLocal = checked.flag("s3-delete-local");
            var endpoint = endpoint();
            var text = checked.text("s3");
            if (text.isEmpty()) {
                return Optional.empty();
            }
            var location = S3Location.parse(text, endpoint);
            if (location.isEmpty()) {
                checked.addProblem(
                        "s3",
                        "s3: " + CheckedValues.quote(text) + " " + S3Location.errorMessage(text));
            }
            return location.map(it -> new S3Settings(it, interval, deleteLocal));
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
