package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.AppendFile;
import dev.orbweaver.internal.disk.ChecksummedFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.SinkCounts;
import dev.orbweaver.model.Validators;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Writes the WARC files and the page log of one crawl.
 *
 * <p>Neither file records commits. The frontier's last commit is authoritative: on opening, every
 * file is restored to that state ({@link OutputRecovery}). So if a settlement is lost, its record
 * is removed with it and written again later.
 *
 * <p>A revisit record may refer to a payload only once the payload is committed, because an
 * uncommitted one may be rolled back.
 */
public final class WarcSink implements Sink {

    private static final Logger LOG = LoggerFactory.getLogger(WarcSink.class);

    private static final SinkCounts ONE_FLUSH = new SinkCounts(1, 0, 0, 0, 0, 0);
    private static final SinkCounts ONE_FAILURE = new SinkCounts(0, 0, 0, 0, 0, 1);

    /** The class of redirects (RFC 9110, 15.4). */
    private static final int REDIRECTION = 3;

    private static final int NOT_MODIFIED = 304;

    private final Disk disk;
    private final Path directory;
    private final WarcSettings settings;
    private final Optional<RevisitLookup> revisitLookup;
    private final WarcRecords records;
    private final WarcSeries series;
    private final List<String> recovered;
    private final BatchStart batchStart;
    private ChecksummedFile log;
    private final ByteArrayOutputStream logBuffer = new ByteArrayOutputStream();

    private final Map<String, BufferedAppendFile> touched = new LinkedHashMap<>();

    /** Payloads written since the last commit; revisits may refer to them after the next one. */
    private final List<PageLogEntry> payloads = new ArrayList<>();

    /** Temporary files of records that are not committed yet. */
    private final List<Path> spills = new ArrayList<>();

    private long sequence;
    private Committed committed;

    /** The last capture whose batch the frontier has confirmed as durable. */
    private long confirmed;

    private SinkCounts uncommitted = SinkCounts.NONE;

    private final long logAtOpening;
    private volatile SinkCounts counts = SinkCounts.NONE;
    private volatile long logBytes;
    private volatile long committedCaptures;

    private record Committed(long sequence, CommittedLength log) {}

    private WarcSink(
            Disk disk,
            Path directory,
            WarcSettings settings,
            InstantSource clock,
            CommittedLength logMark,
            OutputRecovery.RecoveredOutputs recoveredOutputs,
            List<OtherCrawl> others)
            throws IOException {
        this.disk = disk;
        this.directory = directory;
        this.settings = settings;
        this.recovered = recoveredOutputs.recovered();
        var warcs = recoveredOutputs.warcs();
        this.log = openLog(logMark.checksum());
        if (settings.syncCommits()) {
            disk.syncDirectory(directory); // The page log's name must be as durable as its lines.
        }
        this.sequence =
                Math.max(
                        PageLog.lastSequence(directory.resolve(DirectoryLayout.PAGE_LOG)),
                        TombstoneFile.lastCapture(disk, directory));
        this.revisitLookup =
                settings.records().revisits()
                        ? openRevisitLookup(disk, directory, sequence, warcs, others)
                        : Optional.empty();
        this.records =
                new WarcRecords(
                        settings.compression(),
                        settings.records(),
                        settings.tempDirectory(),
                        revisitLookup);
        this.series = new WarcSeries(disk, directory, settings, records, clock, warcs);
        this.batchStart = BatchStart.open(disk, directory);
        this.committed = new Committed(sequence, committedLogLength());
        this.confirmed = sequence;
        this.logAtOpening = log.length();
        this.committedCaptures = sequence;
    }

    private ChecksummedFile openLog(int checksum) throws IOException {
        return new ChecksummedFile(
                disk.append(directory.resolve(DirectoryLayout.PAGE_LOG)), checksum);
    }

    private CommittedLength committedLogLength() {
        return new CommittedLength(DirectoryLayout.PAGE_LOG, log.length(), log.checksum());
    }

    /**
     * Rebuilds an unusable index from the page log; without disk space for it, every payload is
     * stored.
     */
    private static Optional<RevisitLookup> openRevisitLookup(
            Disk disk,
            Path directory,
            long sequence,
            Collection<String> warcs,
            List<OtherCrawl> others) {
        try {
            var there = DigestIndex.open(disk, directory, sequence);
            var index =
                    there.isPresent()
                            ? there.get()
                            : DigestIndex.create(
                                    disk, directory.resolve(DirectoryLayout.DIGEST_INDEX));
            var revisitLookup = new RevisitLookup(disk, directory, index, warcs, others);
            if (there.isEmpty() && sequence > 0) {
                PageLog.read(
                        directory.resolve(DirectoryLayout.PAGE_LOG),
                        entry -> add(revisitLookup, entry));
            }
            return Optional.of(revisitLookup);
        } catch (IOException e) {
            LOG.warn("could not open the digest index, storing every payload: {}", e.getMessage());
            return Optional.empty();
        }
    }

    private static void add(RevisitLookup revisitLookup, PageLogEntry entry) {
        if (WarcRecords.isOriginal(entry)) {
            revisitLookup.add(entry);
        }
    }

    /** Opens the outputs in a crawl's directory in the state of the last committed batch. */
    public static WarcSink open(
            Disk disk,
            Path directory,
            WarcSettings settings,
            List<CommittedLength> marks,
            InstantSource clock)
            throws IOException {
        return open(disk, directory, settings, marks, clock, List.of());
    }

    /**
     * Opens the outputs as {@link #open(Disk, Path, WarcSettings, List, InstantSource)} does.
     *
     * @param others crawls whose payloads are referred to instead of stored again; the caller
     *     closes them after the sink
     */
    public static WarcSink open(
            Disk disk,
            Path directory,
            WarcSettings settings,
            List<CommittedLength> marks,
            InstantSource clock,
            List<OtherCrawl> others)
            throws IOException {
        disk.createDirectory(directory.resolve(DirectoryLayout.WARC));
        var recoveredOutputs = OutputRecovery.recover(disk, directory, marks);
        var log =
                marks.stream()
                        .filter(mark -> mark.name().equals(DirectoryLayout.PAGE_LOG))
                        .findFirst()
                        .orElse(CommittedLength.removed(DirectoryLayout.PAGE_LOG));
        return new WarcSink(disk, directory, settings, clock, log, recoveredOutputs, others);
    }

    /**
     * Returns a sentence for each part of the output that opening moved, because no commit includes
     * it.
     */
    public List<String> recovered() {
        return recovered;
    }

    @Override
    public PreparedCapture prepare(Capture capture) throws IOException {
        return records.prepare(capture, unchanged(capture));
    }

    private Optional<WarcRecords.Unchanged> unchanged(Capture capture) throws IOException {
        if (capture.visit().isFirst()
                || capture.exchange().stream().noneMatch(WarcSink::isUnchanged)) {
            return Optional.empty();
        }
        var last = entry(capture.parent());
        return last.isEmpty()
                ? Optional.empty()
                : RevisitLookup.read(directory, payloadOf(last.get()), Optional.empty())
                        .map(original -> new WarcRecords.Unchanged(last.get(), original));
    }

    private static boolean isUnchanged(Exchange exchange) {
        return exchange.status() == NOT_MODIFIED;
    }

    private static WarcLocation payloadOf(PageLogEntry entry) {
        return entry.original().equals(WarcLocation.NONE)
                ? WarcRewriter.location(entry)
                : entry.original();
    }

    private Optional<PageLogEntry> entry(CaptureRef capture) throws IOException {
        return capture.isNone() || capture.worker() != 0
                ? Optional.empty()
                : PageLogLookup.find(
                        directory.resolve(DirectoryLayout.PAGE_LOG),
                        logAtOpening + logBytes,
                        capture.line());
    }

    @Override
    public Optional<PreviousVisit> previousVisit(CaptureRef capture) throws IOException {
        var entry = entry(capture);
        return entry.isEmpty()
                ? Optional.empty()
                : Optional.of(new PreviousVisit(entry.get(), validators(entry.get())));
    }

    /** Returns the validators of a stored document; those of a 304 may be incomplete. */
    private Validators validators(PageLogEntry entry) {
        var stored =
                entry.isStored() && (entry.kind() == Kind.PAGE || entry.kind() == Kind.SITEMAP);
        if (!stored) {
            return Validators.NONE;
        }
        try {
            if (RevisitLookup.read(directory, payloadOf(entry), Optional.empty()).isEmpty()) {
                return Validators.NONE;
            }
            var last = head(WarcRewriter.location(entry), entry.status());
            return last.isEmpty() ? head(payloadOf(entry), entry.status()) : last;
        } catch (IOException | IllegalArgumentException e) {
            LOG.warn("could not read the stored response of {}: {}", entry.url(), e.getMessage());
            return Validators.NONE;
        }
    }

    private Validators head(WarcLocation record, int status) throws IOException {
        try (var stored = ResponseStream.open(directory, record, status)) {
            return Validators.of(stored.head());
        }
    }

    @Override
    public long write(PreparedCapture preparedCapture, boolean linksDeferred) throws IOException {
        if (sequence == committed.sequence) {
            batchStart.set(committed.log);
        }
        var offset = 0L;
        if (preparedCapture.records().length() > 0) {
            var file = series.file();
            offset = file.length();
            append(file, preparedCapture);
            touched.put(series.name(), file);
            count(preparedCapture.capture(), file.length() - offset);
        }
        sequence++;
        var entry = entry(preparedCapture, offset, linksDeferred);
        logBuffer.write(entry.toJsonLine());
        if (WarcRecords.isOriginal(preparedCapture)) {
            payloads.add(entry);
        }
        return sequence;
    }

    private void count(Capture capture, long stored) {
        var raw = capture.exchange().map(WarcSink::bytes).orElse(0L);
        uncommitted = uncommitted.plus(new SinkCounts(0, 1, 0, raw, stored, 0));
    }

    private static long bytes(Exchange exchange) {
        return exchange.requestHead().length
                + exchange.head().raw().length
                + exchange.body().length();
    }

    /** Returns the counts since opening; safe for other threads. */
    public SinkCounts counts() {
        return counts;
    }

    /** Returns the number of the last committed capture; safe for other threads. */
    public long committedCaptures() {
        return committedCaptures;
    }

    /** Returns the bytes of the page log written since opening; safe for other threads. */
    public long logBytes() {
        return logBytes;
    }

    private void append(AppendFile file, PreparedCapture preparedCapture) throws IOException {
        switch (preparedCapture.records()) {
            case Body.InMemory(var bytes, var size) -> {
                var before =
                        preparedCapture.bodyOffset() == PreparedCapture.BODY_INCLUDED
                                ? size
                                : preparedCapture.bodyOffset();
                file.append(ByteBuffer.wrap(bytes, 0, before));
                if (before < size) {
                    append(file, preparedCapture.capture().exchange().orElseThrow().body());
                    file.append(ByteBuffer.wrap(bytes, before, size - before));
                }
            }
            case Body.InFile(var source, _) -> {
                spills.add(source);
                file.append(source);
            }
        }
    }

    private static void append(AppendFile file, Body body) throws IOException {
        switch (body) {
            case Body.InMemory(var bytes, var size) -> file.append(ByteBuffer.wrap(bytes, 0, size));
            case Body.InFile(var source, _) -> file.append(source);
        }
    }

    private PageLogEntry entry(
            PreparedCapture preparedCapture, long offset, boolean linksDeferred) {
        var capture = preparedCapture.capture();
        var exchange = capture.exchange();
        var entry =
                PageLogEntry.of(sequence, capture.url().text(), capture.kind())
                        .status(exchange.map(Exchange::status).orElse(0))
                        .time(capture.time())
                        .milliseconds(exchange.map(e -> e.timings().total().toMillis()).orElse(0L))
                        .depth(capture.depth())
                        .parent(capture.parent().packed())
                        .retries(capture.attempts())
                        .mediaType(exchange.map(e -> e.head().mediaType()).orElse(""))
                        .charset(capture.page().charset())
                        .title(capture.page().title())
                        .links(capture.page().links().size())
                        .simHash(capture.page().simHash())
                        .minHash(capture.page().minHash())
                        .bytes(exchange.map(e -> e.body().length()).orElse(0L))
                        .digest(preparedCapture.digest())
                        .location(exchange.flatMap(WarcSink::location).orElse(""))
                        .cause(capture.cause())
                        .detail(capture.detail())
                        .stored(
                                new WarcLocation(
                                        exchange.isPresent() ? series.name() : "",
                                        offset,
                                        preparedCapture.responseLength()))
                        .linksDeferred(linksDeferred)
                        .directives(capture.page().directives())
                        .original(preparedCapture.original())
                        .fields(capture.page().fields())
                        .visit(capture.visit())
                        .build();
        return preparedCapture.unchanged().map(entry::withDocumentOf).orElse(entry);
    }

    /**
     * Returns the Location header. Only redirects are searched, because it requires a scan of the
     * head.
     */
    private static Optional<String> location(Exchange exchange) {
        return exchange.status() / 100 == REDIRECTION
                ? exchange.head().field("location")
                : Optional.empty();
    }

    @Override
    public List<CommittedLength> commit() throws IOException {
        var marks = new ArrayList<CommittedLength>();
        if (!touched.isEmpty()) {
            series.flush();
        }
        touched.forEach((name, file) -> marks.add(file.committedLength(name)));
        if (logBuffer.size() > 0) {
            log.append(ByteBuffer.wrap(logBuffer.toByteArray()));
            logBuffer.reset();
            marks.add(committedLogLength());
            if (settings.syncCommits()) {
                log.sync();
            }
        }
        if (!marks.isEmpty()) {
            counts = counts.plus(uncommitted).plus(ONE_FLUSH);
            uncommitted = SinkCounts.NONE;
            logBytes = log.length() - logAtOpening;
        }
        touched.clear();
        series.commit();
        committed = new Committed(sequence, committedLogLength());
        committedCaptures = sequence;
        revisitLookup.ifPresent(known -> payloads.forEach(entry -> add(known, entry)));
        payloads.clear();
        deleteSpills();
        return marks;
    }

    @Override
    public void confirmCommit() {
        confirmed = committed.sequence;
    }

    /**
     * Deletes temporary files whose records are in the WARC file. If that fails, the next opening
     * deletes them.
     */
    private void deleteSpills() {
        for (var spill : spills) {
            try {
                Files.deleteIfExists(spill);
            } catch (IOException e) {
                LOG.warn("could not delete {}: {}", spill, e.getMessage());
            }
        }
        spills.clear();
    }

    @Override
    public void rollBack() throws IOException {
        uncommitted = SinkCounts.NONE;
        counts = counts.plus(ONE_FAILURE);
        log.close();
        disk.truncate(directory.resolve(DirectoryLayout.PAGE_LOG), committed.log.length());
        log = openLog(committed.log.checksum());
        logBuffer.reset();
        touched.clear();
        payloads.clear();
        spills.clear();
        series.rollBack();
        sequence = committed.sequence;
    }

    @Override
    public void close() throws IOException {
        log.sync();
        log.close();
        batchStart.close();
        if (sequence == confirmed) {
            disk.delete(
                    directory.resolve(DirectoryLayout.BATCH_START)); // No batch was interrupted.
        }
        series.close();
        records.close();
    }
}
