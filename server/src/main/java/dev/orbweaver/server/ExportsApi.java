package dev.orbweaver.server;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.export.DocsExport;
import dev.orbweaver.export.ExportFormat;
import dev.orbweaver.export.ExportRunner;
import dev.orbweaver.export.ExportSettings;
import dev.orbweaver.export.ExportTarget;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.model.JobId;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Exports as downloads. One is written to a temporary directory, sent, and deleted; several files
 * are sent as a ZIP archive. All of it is written before the first byte is sent: a failed export is
 * a plain error, and the length is sent first, so that a client notices a response that was cut
 * off.
 */
final class ExportsApi {

    private static final Logger LOG = LoggerFactory.getLogger(ExportsApi.class);

    /** An export reads a whole crawl. */
    private static final int CONCURRENCY = 4;

    private static final int CONCURRENCY_PER_CALLER = 2;

    private static final String TREE = "markdown-tree";
    private static final int CHUNK_BYTES = 64 << 10;

    private final Jobs jobs;
    private final JobsApi jobsApi;
    private final ConcurrencyLimiter concurrencyLimiter =
            new ConcurrencyLimiter(
                    CONCURRENCY,
                    CONCURRENCY_PER_CALLER,
                    "As many exports are being made as the service allows, in all or for this"
                            + " caller; try again when one has ended.");

    /** Prefix of this process's directories: all others are of one that was killed. */
    private final String namePrefix = "export-" + UUID.randomUUID() + "-";

    ExportsApi(Jobs jobs, JobsApi job) {
        this.jobs = jobs;
        this.jobsApi = job;
    }

    void list(ApiCall apiCall) {
        var id = jobsApi.job(apiCall).id();
        var formats = new ArrayList<Download>();
        for (var format : ExportFormat.values()) {
            formats.add(new Download(format.id(), file(id, format), describe(format)));
        }
        formats.add(
                new Download(
                        TREE, "job-" + id.number() + "-markdown.zip", "a Markdown file a page"));
        apiCall.json(new Downloads(formats));
    }

    private record Downloads(List<Download> items) {}

    private record Download(String format, String file, String description) {}

    private static String describe(ExportFormat exportFormat) {
        return exportFormat == ExportFormat.MARKDOWN
                ? "the whole site as one document"
                : exportFormat.help();
    }

    private static String file(JobId id, ExportFormat exportFormat) {
        var name = "job-" + id.number();
        return switch (exportFormat) {
            case MARKDOWN -> name + ".md";
            case WACZ -> name + ".wacz";
            case JSONL, CSV, ERRORS, DUPLICATES, CHUNKS, CDXJ ->
                    name + "-" + exportFormat.fileName();
            case PARQUET -> name + ".parquet";
            case WARC -> name + ".warc.gz";
            case SITEMAP, LINKS, LLMS_TXT -> name + "-" + exportFormat.id() + ".zip";
        };
    }

    void download(ApiCall apiCall) throws Exception {
        var of = jobsApi.job(apiCall);
        var word = apiCall.context().pathParam("format");
        var exportFormat =
                ExportFormat.byId(word.equals(TREE) ? ExportFormat.MARKDOWN.id() : word)
                        .orElseThrow(
                                () ->
                                        ProblemException.of(
                                                ProblemException.NOT_FOUND,
                                                "There is no format '%s'; GET .../exports lists them."
                                                        .formatted(word)));
        if (jobs.directories(of.id()).isEmpty()) {
            throw ProblemException.of(
                    ProblemException.CONFLICT,
                    "Nothing of job %d lies here yet.".formatted(of.id().number()));
        }
        var name =
                word.equals(TREE)
                        ? "job-" + of.id().number() + "-markdown.zip"
                        : file(of.id(), exportFormat);
        if (apiCall.context().method().name().equals("HEAD")) {
            writeHeaders(apiCall, name); // The head is known without an export.
            return;
        }
        try (var _ = concurrencyLimiter.acquire(apiCall)) {
            var scratch = scratch(of.id());
            try {
                writeExport(of.id(), exportFormat, word.equals(TREE), scratch);
                var file = packFiles(scratch, name);
                try (var in = Files.newInputStream(file)) {
                    writeHeaders(apiCall, name);
                    send(apiCall, in, Files.size(file));
                }
            } finally {
                delete(scratch);
            }
        }
    }

    private static void writeHeaders(ApiCall apiCall, String name) {
        apiCall.context()
                .header("Content-Disposition", "attachment; filename=\"" + name + "\"")
                .contentType("application/octet-stream");
    }

    /** A directory for one export; deletes those of processes that are gone. */
    private Path scratch(JobId id) throws IOException {
        var all = Files.createDirectories(jobs.directory(id).resolve(DirectoryLayout.EXPORTS));
        try (var there = Files.newDirectoryStream(all)) {
            for (var each : there) {
                if (!String.valueOf(each.getFileName()).startsWith(namePrefix)) {
                    delete(each);
                }
            }
        }
        return Files.createTempDirectory(all, namePrefix);
    }

    private void writeExport(JobId id, ExportFormat exportFormat, boolean tree, Path scratch)
            throws Exception {
        var pages = CrawlDirectory.pages(jobs.directories(id), jobs.table());
        if (exportFormat == ExportFormat.MARKDOWN && !tree) {
            var _ =
                    DocsExport.write(
                            pages,
                            ExportSettings.Text.DEFAULT,
                            scratch.resolve("document.md"),
                            scratch.resolve("full.txt"));
            Files.delete(scratch.resolve("full.txt"));
            return;
        }
        var place =
                switch (exportFormat) {
                    case SITEMAP, LINKS, LLMS_TXT, MARKDOWN -> scratch.resolve("export");
                    case JSONL, CSV, ERRORS, DUPLICATES, CHUNKS, CDXJ, PARQUET, WARC, WACZ ->
                            scratch.resolve(file(id, exportFormat));
                };
        var _ =
                ExportRunner.run(
                        pages, ExportSettings.of(exportFormat, new ExportTarget.PathTarget(place)));
    }

    private static Path packFiles(Path scratch, String name) throws IOException {
        List<Path> files;
        try (var all = Files.walk(scratch)) {
            files = all.filter(Files::isRegularFile).sorted().toList();
        }
        if (files.size() == 1 && !name.endsWith(".zip")) {
            return files.getFirst();
        }
        var export = scratch.resolve("export");
        var root = Files.isDirectory(export) ? export : scratch;
        var archive = scratch.resolve("archive.zip");
        try (var zip = new ZipOutputStream(Files.newOutputStream(archive))) {
            for (var file : files) {
                zip.putNextEntry(new ZipEntry(root.relativize(file).toString()));
                Files.copy(file, zip);
                zip.closeEntry();
                Files.delete(file); // It is in the archive: a crawl is not to lie here twice.
            }
        }
        return archive;
    }

    /**
     * Sends an export. If it cannot be read to its end, fewer bytes were sent than announced, and
     * the server closes the connection (RFC 9112, section 6.3: the message is incomplete, and the
     * client knows).
     */
    static void send(ApiCall apiCall, InputStream in, long length) throws IOException {
        var response = apiCall.context().res();
        response.setContentLengthLong(length);
        var out = new ResponseStream(response.getOutputStream());
        out.flush();
        var piece = new byte[CHUNK_BYTES];
        var left = length;
        for (var read = in.read(piece); read >= 0; read = in.read(piece)) {
            out.write(piece, read);
            left -= read;
        }
        if (left != 0) {
            throw new IOException(
                    "%d bytes of an export of %d are missing".formatted(left, length));
        }
    }

    private static void delete(Path directory) {
        try (var all = Files.walk(directory)) {
            for (var each : all.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            LOG.warn("{} is left over from an export: {}", directory, e.getMessage());
        }
    }
}
