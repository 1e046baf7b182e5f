package dev.orbweaver.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.Problem;
import dev.orbweaver.imports.InputFile;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.seeds.SeedLine;
import dev.orbweaver.internal.seeds.SeedList;
import dev.orbweaver.internal.seeds.SeedListWriter;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.ZipException;

/**
 * Reads seeds from a file, one per line, with the problem of every line that is not a URL.
 *
 * <p>The seeds of a short list are settings of the crawl. A long list is not kept in memory: the
 * crawl reads it while it runs, from the file itself or from a copy of standard input.
 */
final class SeedsFile {

    /** The option that names the file. */
    static final String OPTION = "--seeds";

    private static final String STANDARD_INPUT = "-";
    private static final int PROBLEMS_SHOWN = 20;

    /** A file with more lines is a long list. */
    static final int SHORT_MAX = 10_000;

    static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    private final String name;
    private final List<String> valid = new ArrayList<>();
    private final List<Problem> problems = new ArrayList<>();

    /** The first lines of standard input or of gzip data, which the crawl copies if it is long. */
    private final List<String> head = new ArrayList<>();

    private Optional<Path> path = Optional.empty();
    private long lines;
    private long problemCount;
    private long validCount;

    private SeedsFile(String name) {
        this.name = name;
    }

    /**
     * Reads a file; bytes that are not UTF-8 make only their own line invalid.
     *
     * @param strict whether a long list is checked to its end
     * @param pending where a long list from standard input is copied to
     */
    static SeedsFile read(String name, boolean strict, PendingSeeds pending)
            throws ConfigException, InterruptedException {
        var fromInput = name.equals(STANDARD_INPUT);
        var file = new SeedsFile(fromInput ? "standard input" : name);
        try (var content = new BufferedInputStream(open(name));
                var in = reader(content, fromInput, file)) {
            while (!file.isLong()) {
                var line = in.readLine();
                if (line == null) {
                    return file;
                }
                file.add(line);
                file.head.add(line);
            }
            if (file.path.isEmpty()) {
                pending.addCopy(file.name, out -> file.copy(in, out, strict));
            } else if (strict) {
                for (var line = in.readLine(); line != null; line = in.readLine()) {
                    file.add(line);
                }
            }
        } catch (EOFException | ZipException e) {
            throw new ConfigException(
                    "",
                    "cannot read URLs from %s: the gzip data is damaged or incomplete (%s)"
                            .formatted(file.name, e.getMessage()));
        } catch (NoSuchFileException e) {
            throw new ConfigException("", "cannot read URLs from " + name + ": no such file");
        } catch (IOException e) {
            throw new ConfigException(
                    "", "cannot read URLs from " + name + ": " + ErrorReporter.message(e, ""));
        } catch (InvalidPathException e) {
            throw new ConfigException("", "cannot read URLs from " + name + ": " + e.getReason());
        }
        return file;
    }

    /** Whether the crawl reads it, instead of keeping its URLs as settings. */
    boolean isLong() {
        return lines > SHORT_MAX;
    }

    /** Returns the file, if it is a long list and not standard input. */
    Optional<Path> longFile() {
        return path.filter(_ -> isLong());
    }

    private static BufferedReader reader(
            BufferedInputStream content, boolean fromInput, SeedsFile file) throws IOException {
        var gzip = InputFile.isGzip(content);
        if (!gzip && !fromInput) {
            file.path = Optional.of(Path.of(file.name));
        }
        return new BufferedReader(
                new InputStreamReader(gzip ? InputFile.decompressed(content) : content, UTF_8));
    }

    private void copy(BufferedReader in, SeedListWriter out, boolean strict) throws IOException {
        for (var line : head) {
            out.line(line);
        }
        for (var line = in.readLine(); line != null; line = in.readLine()) {
            if (strict) {
                add(line);
            }
            out.line(line);
        }
    }

    /** Adds a long list that is a file to a crawl. */
    void addTo(Path crawl, Terminal terminal) throws IOException {
        if (isLong() && path.isPresent() && SeedList.addReference(crawl, path.get())) {
            terminal.printError(
                    "%s has more than %s lines: the crawl reads it while it runs and lists rejected lines in %s"
                            .formatted(
                                    name,
                                    Numbers.count(SHORT_MAX),
                                    crawl.resolve(DirectoryLayout.SEEDS)));
        }
    }

    /** Returns the first URL of lines that may be fetched at once. */
    static Optional<String> firstUrl(Stream<String> lines) {
        return lines.map(SeedsFile::urlOf).flatMap(Optional::stream).findFirst();
    }

    private static Optional<String> urlOf(String line) {
        return SeedLine.parse(line, URLS) instanceof SeedLine.Wanted(var candidate)
                        && candidate.notBefore() == 0
                ? Optional.of(candidate.url().text())
                : Optional.empty();
    }

    /** Returns the first URL that may be fetched at once, of a long list among its first lines. */
    Optional<String> firstUrl() {
        return firstUrl(valid.stream());
    }

    /**
     * Returns the lines of which a crawl keeps the URLs as settings: those without fields, of a
     * long list only the first of them.
     */
    List<String> settings(boolean strict, Terminal terminal) throws ConfigException {
        return lines(strict, terminal).stream()
                .filter(line -> !hasFields(line))
                .limit(isLong() ? 1 : SHORT_MAX)
                .toList();
    }

    /** Adds the lines of a short list that have fields to a list of the crawl. */
    void addLinesWithFields(PendingSeeds pending) throws IOException, InterruptedException {
        var lines = valid.stream().filter(SeedsFile::hasFields).toList();
        if (!isLong() && !lines.isEmpty()) {
            pending.addCopy(
                    "file",
                    out -> {
                        for (var line : lines) {
                            out.line(line);
                        }
                    });
        }
    }

    private static InputStream open(String name) throws IOException {
        return name.equals(STANDARD_INPUT) ? System.in : Files.newInputStream(Path.of(name));
    }

    private void add(String line) {
        lines++;
        if (!line.isBlank() && SeedLine.parse(line, URLS) instanceof SeedLine.Malformed(var why)) {
            if (++problemCount <= PROBLEMS_SHOWN) {
                problems.add(
                        new Problem(Settings.SEEDS, "%s, line %d: %s".formatted(name, lines, why)));
            }
        } else if (!line.isBlank() && !line.stripLeading().startsWith("#")) {
            validCount++;
            if (valid.size() <= SHORT_MAX) {
                valid.add(line.strip());
            }
        }
    }

    /** Whether a line has fields after its URL, which a setting cannot have. */
    private static boolean hasFields(String line) {
        return line.indexOf('\t') >= 0;
    }

    /**
     * Returns the valid lines, of a long list the first ones, and warns of the others.
     *
     * @param strict whether an invalid line is an error
     */
    List<String> lines(boolean strict, Terminal terminal) throws ConfigException {
        if (isLong() && !strict && !valid.isEmpty()) {
            return valid; // The crawl lists the lines that it rejects.
        }
        if (problemCount > problems.size()) {
            problems.add(
                    new Problem(
                            Settings.SEEDS,
                            "%s: %s more lines are not URLs"
                                    .formatted(
                                            name, Numbers.count(problemCount - problems.size()))));
        }
        if (strict && problemCount > 0) {
            throw new ConfigException(problems);
        }
        if (valid.isEmpty()) {
            problems.add(
                    new Problem(
                            Settings.SEEDS,
                            name
                                    + " contains no URL; expected one per line, such as"
                                    + " https://example.com/"));
            throw new ConfigException(problems);
        }
        problems.forEach(problem -> terminal.warn(problem.message()));
        if (problemCount > 0) {
            terminal.warn(
                    "%s: skipped %s of %s lines; --strict makes them an error"
                            .formatted(
                                    name,
                                    Numbers.count(problemCount),
                                    Numbers.count(problemCount + validCount)));
        }
        return valid;
    }
}
