package dev.orbweaver.cli;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.frontier.FrontierFailedException;

import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Objects;
import java.util.Optional;

/** Prints an error message for an exception and chooses the exit code. */
final class ErrorReporter {

    private static final String PREFIX = "orbweaver: ";

    private ErrorReporter() {}

    static final class UsageException extends RuntimeException {
        private static final long serialVersionUID = 1;

        UsageException(String message) {
            super(message);
        }
    }

    static int report(Exception error, PrintWriter err) {
        return switch (error) {
            case UsageException e -> print(err, String.valueOf(e.getMessage()), ExitCode.USAGE);
            case ConfigException e -> {
                e.problems().forEach(problem -> err.println(PREFIX + problem.message()));
                yield ExitCode.USAGE.code();
            }
            case UncheckedIOException e ->
                    print(err, message(Objects.requireNonNull(e.getCause())), ExitCode.OUTPUT);
            case IOException e -> print(err, message(e), ExitCode.OUTPUT);
            case FrontierFailedException e ->
                    print(
                            err,
                            String.valueOf(e.getMessage()),
                            e.isStorageFailure() ? ExitCode.OUTPUT : ExitCode.INTERNAL);
            case InterruptedException _ -> {
                Thread.currentThread().interrupt();
                yield ExitCode.INTERRUPTED.code();
            }
            default -> {
                LoggerFactory.getLogger(ErrorReporter.class).error("internal error", error);
                error.printStackTrace(err);
                yield print(err, "internal error: " + error, ExitCode.INTERNAL);
            }
        };
    }

    private static int print(PrintWriter err, String message, ExitCode code) {
        err.println(PREFIX + message);
        return code.code();
    }

    static String message(IOException error) {
        return message(error, Options.OUT);
    }

    /**
     * @param option the option that sets the path
     */
    static String message(IOException error, String option) {
        return switch (error) {
            case AccessDeniedException e ->
                    "no permission to write %s; choose another path with %s"
                            .formatted(e.getFile(), option);
            case NoSuchFileException e -> "no such file or directory: " + e.getFile();
            case FileAlreadyExistsException e ->
                    "%s is a file, not a directory; choose another path with %s"
                            .formatted(e.getFile(), option);
            case NotDirectoryException e ->
                    "%s is not a directory; choose another path with %s"
                            .formatted(e.getFile(), option);
            case DirectoryNotEmptyException e ->
                    "%s is a directory that is not empty; choose another path with %s"
                            .formatted(e.getFile(), option);
            case FileSystemException e ->
                    e.getFile()
                            + ": "
                            + Optional.ofNullable(e.getReason())
                                    .orElse("cannot be read or written");
            default -> Optional.ofNullable(error.getMessage()).orElse(error.toString());
        };
    }
}
