package dev.orbweaver.server;

import dev.orbweaver.export.ContentKind;
import dev.orbweaver.export.DocsExport;
import dev.orbweaver.export.ExportFormat;
import dev.orbweaver.export.ExportRunner;
import dev.orbweaver.export.ExportSettings;
import dev.orbweaver.export.ExportSettings.Content;
import dev.orbweaver.export.ExportTarget;
import dev.orbweaver.internal.archive.PageFilter;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.model.JobId;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Serves exports as downloads. An export is written to a temporary directory, sent, and deleted;
 * several files are sent as a ZIP archive. The export is complete before the first byte is sent: a
 * failed export is a normal error response, and with the Content-Length a client can detect a
 * truncated download.
 */
final class ExportsApi {

    private static final Logger LOG = LoggerFactory.getLogger(ExportsApi.class);

    /** Limits exports, because each one reads a whole crawl. */
    private static final int CONCURRENCY = 4;

    private static final int CONCURRENCY_PER_CALLER = 2;

    private static final Set<ExportFormat> CONTENT_FORMATS =
            EnumSet.of(ExportFormat.JSONL, ExportFormat.CSV, ExportFormat.PARQUET);
    private static final String TREE = "markdown-tree";
    private static final int CHUNK_BYTES = 64 << 10;

    private final Jobs jobs;
    private final JobsApi jobsApi;
    private final ConcurrencyLimiter concurrencyLimiter =
            new ConcurrencyLimiter(
                    CONCURRENCY,
                    CONCURRENCY_PER_CALLER,
                    "The limit of concurrent exports, in total or for this caller, is reached;"
                            + " retry later.");

    /** Prefix of this process's directories; all others were left by a killed process. */
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
                        TREE,
                        "job-" + id.number() + "-markdown.zip",
                        "one Markdown file per page"));
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
            case SITEMAP, LINKS, LLMS_TXT, FILES -> name + "-" + exportFormat.id() + ".zip";
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
                                                "Unknown format '%s'; GET .../exports lists them."
                                                        .formatted(word)));
        if (jobs.directories(of.id()).isEmpty()) {
            throw ProblemException.of(
                    ProblemException.CONFLICT,
                    "Job %d has no data on this worker yet.".formatted(of.id().number()));
        }
        var options = options(apiCall, exportFormat);
        var name =
                word.equals(TREE)
                        ? "job-" + of.id().number() + "-markdown.zip"
                        : file(of.id(), exportFormat);
        if (apiCall.context().method().name().equals("HEAD")) {
            writeHeaders(apiCall, name); // HEAD needs no export.
            return;
        }
        try (var _ = concurrencyLimiter.acquire(apiCall)) {
            var scratch = scratch(of.id());
            try {
                writeExport(of.id(), exportFormat, word.equals(TREE), options, scratch);
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

    /** Changes the settings of an export as the query parameters say. */
    private static UnaryOperator<ExportSettings> options(
            ApiCall apiCall, ExportFormat exportFormat) {
        UnaryOperator<ExportSettings> options = settings -> settings;
        var content = apiCall.query("content");
        if (content.isPresent()) {
            var kind =
                    ContentKind.byId(content.get())
                            .filter(_ -> CONTENT_FORMATS.contains(exportFormat))
                            .orElseThrow(
                                    () ->
                                            ProblemException.inField(
                                                    "content",
                                                    "content must be %s, for the formats jsonl, csv and parquet."
                                                            .formatted(ContentKind.IDS)));
            options = settings -> settings.with(new Content(kind, Content.BYTES_MAX_DEFAULT));
        }
        var mediaType = apiCall.query("mediaType");
        if (mediaType.isPresent()) {
            var type =
                    PageFilter.mediaType(mediaType.get())
                            .filter(_ -> exportFormat == ExportFormat.FILES)
                            .orElseThrow(
                                    () ->
                                            ProblemException.inField(
                                                    "mediaType",
                                                    "mediaType must be a type such as"
                                                            + " application/pdf or image/*, for the"
                                                            + " format files."));
            var filter = new PageFilter(List.of(), List.of(), List.of(type));
            options = settings -> settings.with(filter);
        }
        return options;
    }

    private static void writeHeaders(ApiCall apiCall, String name) {
        apiCall.context()
                .header("Content-Disposition", "attachment; filename=\"" + name + "\"")
                .contentType("application/octet-stream");
    }

    /** Creates a directory for one export, and deletes those of earlier processes. */
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

    private void writeExport(
            JobId id,
            ExportFormat exportFormat,
            boolean tree,
            UnaryOperator<ExportSettings> options,
            Path scratch)
            throws Exception {
        var pages = StoredCrawl.pages(jobs.directories(id), jobs.table());
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
                    case SITEMAP, LINKS, LLMS_TXT, MARKDOWN, FILES -> scratch.resolve("export");
                    case JSONL, CSV, ERRORS, DUPLICATES, CHUNKS, CDXJ, PARQUET, WARC, WACZ ->
                            scratch.resolve(file(id, exportFormat));
                };
        var _ =
                ExportRunner.run(
                        pages,
                        options.apply(
                                ExportSettings.of(
                                        exportFormat, new ExportTarget.PathTarget(place))));
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
                Files.delete(file); // It is in the archive now; do not store the export twice.
            }
        }
        return archive;
    }

    /**
     * Sends an export. If the file cannot be read completely, fewer bytes than Content-Length are
     * sent and the server closes the connection; the client detects the incomplete message (RFC
     * 9112, section 6.3).
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
                    "%d of %d bytes of an export are missing".formatted(left, length));
        }
    }

    private static void delete(Path directory) {
        try (var all = Files.walk(directory)) {
            for (var each : all.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            LOG.warn("could not delete the export directory {}: {}", directory, e.getMessage());
        }
    }
}
