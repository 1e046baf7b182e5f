package dev.orbweaver.cli;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.InvalidArgumentException;
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

    /** As many as {@link SeedsFile} reports. */
    private static final int PROBLEMS_SHOWN = 22;

    private ErrorReporter() {}

    static final class UsageException extends RuntimeException {
        private static final long serialVersionUID = 1;

        UsageException(String message) {
            super(message);
        }
    }

    /**
     * @param option the option that sets the output path of the command; empty if it has none
     */
    static int report(Exception error, PrintWriter err, String option) {
        return switch (error) {
            case UsageException e -> print(err, String.valueOf(e.getMessage()), ExitCode.USAGE);
            case ConfigException e -> {
                e.problems().stream()
                        .limit(PROBLEMS_SHOWN)
                        .forEach(problem -> err.println(PREFIX + problem.message()));
                if (e.problems().size() > PROBLEMS_SHOWN) {
                    err.println(
                            PREFIX
                                    + Numbers.count(e.problems().size() - PROBLEMS_SHOWN)
                                    + " more problems");
                }
                yield ExitCode.USAGE.code();
            }
            case UncheckedIOException e ->
                    report(Objects.requireNonNull(e.getCause()), err, option);
            case InvalidArgumentException e ->
                    print(err, String.valueOf(e.getMessage()), ExitCode.USAGE);
            case IOException e -> print(err, message(e, option), ExitCode.OUTPUT);
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

    /**
     * @param option the option that sets the path; empty if there is none
     */
    static String message(IOException error, String option) {
        var advice = option.isEmpty() ? "" : "; choose another path with " + option;
        return switch (error) {
            case AccessDeniedException e ->
                    "no permission to %s %s%s"
                            .formatted(
                                    option.isEmpty() ? "read or write" : "write",
                                    e.getFile(),
                                    advice);
            case NoSuchFileException e -> "no such file or directory: " + e.getFile();
            case FileAlreadyExistsException e ->
                    e.getFile() + " is a file, not a directory" + advice;
            case NotDirectoryException e -> e.getFile() + " is not a directory" + advice;
            case DirectoryNotEmptyException e ->
                    e.getFile() + " is a directory that is not empty" + advice;
            case FileSystemException e ->
                    "%s: %s%s"
                            .formatted(
                                    e.getFile(),
                                    Optional.ofNullable(e.getReason())
                                            .orElse("cannot be read or written"),
                                    advice);
            default -> Optional.ofNullable(error.getMessage()).orElse(error.toString());
        };
    }
}
