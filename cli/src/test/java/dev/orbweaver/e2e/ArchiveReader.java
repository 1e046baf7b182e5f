package dev.orbweaver.e2e;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.Capture.Kind;

import org.netpreserve.jwarc.WarcDigest;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcRequest;
import org.netpreserve.jwarc.WarcResponse;
import org.netpreserve.jwarc.WarcRevisit;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Reads back what a crawl left in its folder, by readers that the crawl does not use. */
final class ArchiveReader {

    private final Path directory;
    private final List<PageLogEntry> entries = new ArrayList<>();

    private ArchiveReader(Path directory) {
        this.directory = directory;
    }

    static ArchiveReader open(Path directory) throws IOException {
        var archiveReader = new ArchiveReader(directory);
        PageLog.read(directory.resolve(DirectoryLayout.PAGE_LOG), archiveReader.entries::add);
        return archiveReader;
    }

    List<PageLogEntry> entries() {
        return entries;
    }

    /** The URLs stored as pages. */
    SortedSet<String> pages() {
        return urls(Kind.PAGE);
    }

    /**
     * The pages that are missing and those that should not be there, and what the log says of them;
     * empty when all is well.
     */
    List<String> differences(SortedSet<String> expected) {
        var wrong = new TreeSet<>(expected);
        wrong.removeAll(pages());
        var extra = pages();
        extra.removeAll(expected);
        wrong.addAll(extra);
        return wrong.stream().map(url -> url + " " + linesOf(url)).toList();
    }

    private List<PageLogEntry> linesOf(String url) {
        return entries.stream().filter(entry -> entry.url().equals(url)).toList();
    }

    SortedSet<String> urls(Kind kind) {
        var urls = new TreeSet<String>();
        entries.stream()
                .filter(entry -> entry.kind() == kind)
                .forEach(entry -> urls.add(entry.url()));
        return urls;
    }

    /** URLs with more than one line of a final kind, with their number. */
    Map<String, Integer> recordedTwice() {
        var counts = new TreeMap<String, Integer>();
        entries.stream()
                .filter(entry -> entry.kind() != Kind.ROBOTS)
                .forEach(entry -> counts.merge(entry.url(), 1, Integer::sum));
        counts.values().removeIf(count -> count == 1);
        return counts;
    }

    List<Path> warcFiles() throws IOException {
        try (var files = Files.list(directory.resolve("warc"))) {
            return files.sorted().toList();
        }
    }

    /**
     * Everything in the WARC files: every answer's URL, its payload checked against its digest. A
     * revisit must refer to a response that lies before it and has its digest.
     */
    List<String> checkedResponses() throws Exception {
        var urls = new ArrayList<String>();
        var payloads = new HashMap<URI, WarcDigest>();
        for (var file : warcFiles()) {
            try (var reader = new WarcReader(file)) {
                var requests = 0;
                var before = urls.size();
                for (var record : reader) {
                    if (record instanceof WarcResponse response) {
                        urls.add(response.target());
                        check(response);
                        payloads.put(response.id(), response.payloadDigest().orElseThrow());
                    } else if (record instanceof WarcRevisit revisit) {
                        urls.add(revisit.target());
                        check(revisit, payloads);
                    } else if (record instanceof WarcRequest request) {
                        requests++;
                        request.body().consume();
                    }
                }
                var answers = urls.size() - before;
                if (requests != answers) {
                    throw new AssertionError(
                            file + ": " + answers + " answers, " + requests + " requests");
                }
            }
        }
        return urls;
    }

    private static void check(WarcRevisit revisit, Map<URI, WarcDigest> payloads) {
        var original = payloads.get(revisit.refersTo().orElseThrow());
        if (!revisit.payloadDigest().orElseThrow().equals(original)) {
            throw new AssertionError(revisit.target() + " refers to " + original);
        }
    }

    private static void check(WarcResponse response) throws Exception {
        var sha1 = MessageDigest.getInstance("SHA-1");
        sha1.update(response.http().body().stream().readAllBytes());
        var actual = new WarcDigest("sha1", sha1.digest());
        var stated = response.payloadDigest().orElseThrow();
        if (!stated.equals(actual)) {
            throw new AssertionError(response.target() + ": " + stated + " is not " + actual);
        }
    }

    /** What jwarc's own validator, in a process of its own, has to complain about. */
    String validatorProblems() throws Exception {
        var command = ProgramJvm.command("org.netpreserve.jwarc.tools.ValidateTool");
        warcFiles().forEach(file -> command.add(file.toString()));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() == 0 ? output : "exit " + process.exitValue() + "\n" + output;
    }
}
