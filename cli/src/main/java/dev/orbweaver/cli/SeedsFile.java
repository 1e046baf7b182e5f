package dev.orbweaver.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.Problem;
import dev.orbweaver.internal.config.Seed;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.seeds.SeedLine;
import dev.orbweaver.internal.seeds.SeedList;
import dev.orbweaver.internal.seeds.SeedListWriter;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;

import java.io.BufferedReader;
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
    private final List<String> urls = new ArrayList<>();
    private final List<Problem> problems = new ArrayList<>();

    /** The first lines of standard input, which cannot be read again. */
    private final List<String> head = new ArrayList<>();

    private Optional<Path> path = Optional.empty();
    private long lines;
    private long problemCount;

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
        try (var in = new BufferedReader(new InputStreamReader(open(name), UTF_8))) {
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                file.add(++file.lines, line.strip());
                if (fromInput && file.head.size() <= SHORT_MAX) {
                    file.head.add(line);
                }
                if (file.isLong() && !strict) {
                    if (fromInput) {
                        pending.addCopy(file.name, out -> file.copy(in, out));
                    }
                    break;
                }
            }
            if (!fromInput) {
                file.path = Optional.of(Path.of(name));
            }
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

    private void copy(BufferedReader in, SeedListWriter out) throws IOException {
        for (var line : head) {
            out.line(line);
        }
        for (var line = in.readLine(); line != null; line = in.readLine()) {
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

    /** Returns the URL of a line of a seed list, if it is one. */
    static Optional<String> urlOf(String line) {
        return SeedLine.parse(line, URLS) instanceof SeedLine.Wanted(var candidate)
                ? Optional.of(candidate.url().text())
                : Optional.empty();
    }

    private static InputStream open(String name) throws IOException {
        return name.equals(STANDARD_INPUT) ? System.in : Files.newInputStream(Path.of(name));
    }

    private void add(long number, String line) {
        if (line.isEmpty() || line.startsWith("#")) {
            return;
        }
        var problem = problem(line);
        if (problem.isEmpty()) {
            if (urls.size() <= SHORT_MAX) {
                urls.add(line);
            }
        } else if (++problemCount <= PROBLEMS_SHOWN) {
            problems.add(
                    new Problem(
                            Settings.SEEDS,
                            "%s, line %d: %s".formatted(name, number, problem.get())));
        }
    }

    private static Optional<String> problem(String line) {
        if (line.indexOf('\uFFFD') >= 0) {
            return Optional.of("not UTF-8 text");
        }
        if (Seed.hasCredentials(line)) {
            return Optional.of("a URL must not contain a user name or password; use --credentials");
        }
        return Seed.read(line, URLS).isPresent()
                ? Optional.empty()
                : Optional.of(Seed.problem(line));
    }

    /**
     * Returns the valid URLs and warns of the other lines.
     *
     * @param strict whether an invalid line is an error
     */
    List<String> urls(boolean strict, Terminal terminal) throws ConfigException {
        if (isLong() && !strict && !urls.isEmpty()) {
            return urls; // The crawl lists the lines that it rejects.
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
        if (urls.isEmpty()) {
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
                                    Numbers.count(problemCount + urls.size())));
        }
        return urls;
    }
}
