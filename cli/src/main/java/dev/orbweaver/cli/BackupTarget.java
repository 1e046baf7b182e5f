package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.sinks.backup.DirectoryStore;
import dev.orbweaver.sinks.backup.PieceStore;
import dev.orbweaver.sinks.s3.S3Location;

import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** The place of backups that the command line names: a directory or s3://BUCKET/PREFIX. */
final class BackupTarget {

    private static final String ENDPOINT = "--s3-endpoint";
    private static final String S3 = "s3:";

    private BackupTarget() {}

    static OptionSpec endpoint() {
        return Options.text(ENDPOINT, "URL", "URL of an S3-compatible server (default: Amazon S3)");
    }

    /** Returns whether a text names a bucket and not a directory. */
    static boolean isBucket(String text) {
        return text.startsWith(S3);
    }

    /**
     * @param transferred counts copied bytes
     */
    static PieceStore open(ParseResult arguments, String text, AtomicLong transferred)
            throws IOException {
        if (!isBucket(text)) {
            return new DirectoryStore(
                    new RealDisk(),
                    Directories.parse(text).toAbsolutePath().normalize(),
                    transferred::addAndGet);
        }
        return S3Location.parse(text, endpoint(arguments))
                .orElseThrow(
                        () -> new UsageException("'" + text + "' " + S3Location.errorMessage(text)))
                .open(transferred);
    }

    private static Optional<URI> endpoint(ParseResult arguments) {
        var text = Environment.text(arguments, ENDPOINT, "");
        if (text.isEmpty()) {
            return Optional.empty();
        }
        var endpoint = S3Location.endpoint(text);
        if (endpoint.isEmpty()) {
            throw new UsageException("'" + text + "' is not an http or https URL");
        }
        return endpoint;
    }
}
