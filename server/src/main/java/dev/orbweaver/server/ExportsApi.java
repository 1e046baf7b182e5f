package dev.orbweaver.server;

import dev.orbweaver.export.ContentKind;
import dev.orbweaver.export.DocsExport;
import dev.orbweaver.export.ExportFormat;
import dev.orbweaver.export.ExportRunner;
import dev.orbweaver.export.ExportSettings;
import dev.orbweaver.export.ExportSettings.Content;
import dev.orbweaver.export.ExportTarget;
import dev.orbweaver.internal.archive.CrawlPages.ReadListener;
import dev.orbweaver.internal.archive.PageFilter;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.internal.sink.PageLogReader;
import dev.orbweaver.model.JobId;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Serves exports as downloads, made while the client waits or in the background ({@link
 * ExportTasks}). An export is written to a temporary directory, sent, and deleted; several files
 * are sent as a ZIP archive. The export is complete before the first byte is sent: a failed export
 * is a normal error response, and with the Content-Length a client can detect a truncated download.
 */
final class ExportsApi implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ExportsApi.class);

    /** Limits exports, because each one reads a whole crawl. */
    private static final int CONCURRENCY = 4;

    private static final int CONCURRENCY_PER_CALLER = 2;

    private static final Set<ExportFormat> CONTENT_FORMATS =
            EnumSet.of(ExportFormat.JSONL, ExportFormat.CSV, ExportFormat.PARQUET);
    private static final Set<String> TASK_FIELDS = Set.of("format", "content", "mediaType");
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

    private final ExportTasks tasks =
            new ExportTasks(InstantSource.system(), ExportTasks.END_TIMEOUT);

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
        apiCall.json(new Downloads(formats, tasks.of(id)));
    }

    private record Downloads(List<Download> items, List<ExportTasks.TaskJson> tasks) {}

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

    /**
     * An export that was requested.
     *
     * @param tree whether it is one Markdown file per page
     * @param fileName of the download
     */
    private record Order(
            JobId job,
            ExportFormat format,
            boolean tree,
            UnaryOperator<ExportSettings> options,
            String fileName) {}

    private Order order(
            JobId job, String word, Optional<String> content, Optional<String> mediaType) {
        var exportFormat =
                ExportFormat.byId(word.equals(TREE) ? ExportFormat.MARKDOWN.id() : word)
                        .orElseThrow(
                                () ->
                                        ProblemException.of(
                                                ProblemException.NOT_FOUND,
                                                "Unknown format '%s'; GET .../exports lists them."
                                                        .formatted(word)));
        if (jobs.directories(job).isEmpty()) {
            throw ProblemException.of(
                    ProblemException.CONFLICT,
                    "Job %d has no data on this worker yet.".formatted(job.number()));
        }
        return new Order(
                job,
                exportFormat,
                word.equals(TREE),
                options(content, mediaType, exportFormat),
                word.equals(TREE)
                        ? "job-" + job.number() + "-markdown.zip"
                        : file(job, exportFormat));
    }

    /** Sends an export that is made while the client waits. */
    void download(ApiCall apiCall) throws Exception {
        var order =
                order(
                        jobsApi.job(apiCall).id(),
                        apiCall.context().pathParam("format"),
                        apiCall.query("content"),
                        apiCall.query("mediaType"));
        if (apiCall.context().method().name().equals("HEAD")) {
            writeHeaders(apiCall, order.fileName); // HEAD needs no export.
            return;
        }
        try (var _ = concurrencyLimiter.acquire(apiCall)) {
            var scratch = scratch(order.job);
            try {
                sendFile(apiCall, write(order, scratch, ReadListener.NONE), order.fileName);
            } finally {
                delete(scratch);
            }
        }
    }

    private static void sendFile(ApiCall apiCall, Path file, String name) throws IOException {
        try (var in = Files.newInputStream(file)) {
            writeHeaders(apiCall, name);
            send(apiCall, in, Files.size(file));
        }
    }

    /** Starts an export in the background. */
    void start(ApiCall apiCall) throws Exception {
        var job = jobsApi.job(apiCall).id();
        var body = apiCall.body();
        for (var name : body.propertyNames()) {
            if (!TASK_FIELDS.contains(name)) {
                throw ProblemException.inField(
                        name,
                        "Unknown field '%s'; expected format, content or mediaType."
                                .formatted(name));
            }
        }
        var format =
                JobsApi.text(body, "format")
                        .orElseThrow(
                                () ->
                                        ProblemException.inField(
                                                "format",
                                                "format is missing; GET .../exports lists the"
                                                        + " formats."));
        var order =
                order(job, format, JobsApi.text(body, "content"), JobsApi.text(body, "mediaType"));
        var task =
                tasks.start(
                        AccessControl.caller(apiCall),
                        new ExportTasks.Export(
                                job,
                                format,
                                order.fileName,
                                expectedReads(order),
                                scratch(job),
                                (scratch, listener) -> write(order, scratch, listener)));
        apiCall.context()
                .header(
                        "Location",
                        "/api/v1/jobs/%d/exports/tasks/%d".formatted(job.number(), task.id()));
        apiCall.json(202, task);
    }

    /** Returns how many lines an export reads; some formats read all lines twice. */
    private long expectedReads(Order order) throws IOException {
        long lines = 0;
        for (var directory : jobs.directories(order.job)) {
            try (var log = PageLogReader.open(directory)) {
                lines += log.end().seq();
            }
        }
        return switch (order.format) {
            case MARKDOWN, LLMS_TXT, CHUNKS, DUPLICATES, SITEMAP, ERRORS -> 2 * lines;
            case JSONL, CSV, PARQUET, LINKS, FILES, WARC, WACZ, CDXJ -> lines;
        };
    }

    void task(ApiCall apiCall) {
        apiCall.json(tasks.get(jobsApi.job(apiCall).id(), apiCall.task()));
    }

    /** Sends the file of an export that was made in the background. */
    void taskFile(ApiCall apiCall) throws Exception {
        var job = jobsApi.job(apiCall).id();
        try (var ready = tasks.open(job, apiCall.task())) {
            if (apiCall.context().method().name().equals("HEAD")) {
                writeHeaders(apiCall, ready.name());
                return;
            }
            sendFile(apiCall, ready.file(), ready.name());
        }
    }

    void deleteTask(ApiCall apiCall) {
        tasks.delete(jobsApi.job(apiCall).id(), apiCall.task());
        apiCall.context().status(204);
    }

    void removeOldTasks() {
        tasks.removeOld();
    }

    void deleteTasks(JobId job) {
        tasks.deleteAll(job);
    }

    @Override
    public void close() {
        tasks.close();
    }

    /** Changes the settings of an export as the request says. */
    private static UnaryOperator<ExportSettings> options(
            Optional<String> content, Optional<String> mediaType, ExportFormat exportFormat) {
        UnaryOperator<ExportSettings> options = settings -> settings;
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
                .contentType(contentType(name));
    }

    private static String contentType(String name) {
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "md" -> "text/markdown; charset=utf-8";
            case "csv" -> "text/csv; charset=utf-8";
            case "jsonl" -> "application/jsonl; charset=utf-8";
            case "cdxj" -> "text/plain; charset=utf-8";
            case "parquet" -> "application/vnd.apache.parquet";
            case "wacz" -> "application/wacz";
            case "gz" -> "application/gzip";
            case "zip" -> "application/zip";
            default -> throw new IllegalArgumentException("no media type for " + name);
        };
    }

    /** Deletes the exports of earlier processes. Called once, before the first export. */
    void deleteLeftFiles() {
        for (var job : jobs.all()) {
            var left = jobs.directory(job.id()).resolve(DirectoryLayout.EXPORTS);
            if (Files.isDirectory(left)) {
                delete(left);
            }
        }
    }

    /** Creates a directory for one export. */
    private Path scratch(JobId id) throws IOException {
        var all = Files.createDirectories(jobs.directory(id).resolve(DirectoryLayout.EXPORTS));
        return Files.createTempDirectory(all, "export-");
    }

    /** Writes an export below a directory, and returns the file to be sent. */
    private Path write(Order order, Path scratch, ReadListener listener) throws Exception {
        var pages = StoredCrawl.pages(jobs.directories(order.job), jobs.table()).watched(listener);
        if (order.format == ExportFormat.MARKDOWN && !order.tree) {
            var _ =
                    DocsExport.write(
                            pages,
                            ExportSettings.Text.DEFAULT,
                            scratch.resolve("document.md"),
                            scratch.resolve("full.txt"));
            Files.delete(scratch.resolve("full.txt"));
        } else {
            var place =
                    switch (order.format) {
                        case SITEMAP, LINKS, LLMS_TXT, MARKDOWN, FILES -> scratch.resolve("export");
                        case JSONL, CSV, ERRORS, DUPLICATES, CHUNKS, CDXJ, PARQUET, WARC, WACZ ->
                                scratch.resolve(file(order.job, order.format));
                    };
            var settings = ExportSettings.of(order.format, new ExportTarget.PathTarget(place));
            var _ = ExportRunner.run(pages, order.options.apply(settings));
        }
        return packFiles(scratch, order.fileName);
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

    static void delete(Path directory) {
        try (var all = Files.walk(directory)) {
            for (var each : all.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            LOG.warn("could not delete the export directory {}: {}", directory, e.getMessage());
        }
    }
}
