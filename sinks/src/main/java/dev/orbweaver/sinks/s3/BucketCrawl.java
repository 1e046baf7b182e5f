package dev.orbweaver.sinks.s3;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.sink.Dependents;
import dev.orbweaver.internal.sink.RemoteCrawl;
import dev.orbweaver.sinks.backup.Checkpoint;
import dev.orbweaver.sinks.backup.Sha256;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** The last checkpoint that the S3 sink made of a crawl, read for revisit records. */
public final class BucketCrawl implements RemoteCrawl {

    private static final String WARC = DirectoryLayout.WARC + "/";

    private static final String DEPENDENTS = DirectoryLayout.DEPENDENTS + "/";

    private final S3Location location;
    private final Bucket bucket;
    private volatile Checkpoint checkpoint;

    private BucketCrawl(S3Location location, Bucket bucket, Checkpoint checkpoint) {
        this.location = location;
        this.bucket = bucket;
        this.checkpoint = checkpoint;
    }

    /** Opens the crawl at a location. */
    public static BucketCrawl open(S3Location location) throws IOException {
        var bucket = Bucket.open(location, new AtomicLong());
        try {
            return new BucketCrawl(location, bucket, readCheckpoint(location, bucket));
        } catch (IOException e) {
            bucket.close();
            throw e;
        }
    }

    private static Checkpoint readCheckpoint(S3Location location, Bucket bucket)
            throws IOException {
        var text = bucket.getText(Checkpoint.NAME);
        if (text.isEmpty()) {
            throw new IOException(
                    "dedupe-with names %s, where no crawl was copied with --s3"
                            .formatted(location));
        }
        return Checkpoint.read(text.get());
    }

    @Override
    public String version() {
        var digest = Sha256.digest();
        for (var piece : checkpoint.pieces(DirectoryLayout.PAGE_LOG)) {
            digest.update(piece.sha256().getBytes(UTF_8));
        }
        return Sha256.hex(digest).substring(0, 16);
    }

    @Override
    public List<String> warcs() {
        return checkpoint.files().keySet().stream()
                .filter(name -> name.startsWith(WARC) && !checkpoint.pieces(name).isEmpty())
                .toList();
    }

    @Override
    public void copyPageLog(OutputStream out) throws IOException {
        for (var piece : checkpoint.pieces(DirectoryLayout.PAGE_LOG)) {
            bucket.get(piece, out);
        }
    }

    @Override
    public String tombstones() throws IOException {
        var text = new ByteArrayOutputStream();
        for (var piece : checkpoint.pieces(DirectoryLayout.TOMBSTONES)) {
            bucket.get(piece, text);
        }
        return text.toString(UTF_8);
    }

    /**
     * Reads bytes of a WARC file. A running crawl joins the pieces of a file when it is finished,
     * so the checkpoint is read again if a piece is gone.
     */
    @Override
    public byte[] read(String warc, long offset, int length) throws IOException {
        try {
            return read(checkpoint, warc, offset, length);
        } catch (IOException gone) {
            checkpoint = readCheckpoint(location, bucket);
            return read(checkpoint, warc, offset, length);
        }
    }

    private byte[] read(Checkpoint state, String warc, long offset, int length) throws IOException {
        var bytes = new ByteArrayOutputStream(length);
        var start = 0L;
        for (var piece : state.pieces(warc)) {
            var from = Math.max(0, offset + bytes.size() - start);
            var count = (int) Math.min(piece.length() - from, length - bytes.size());
            if (count > 0) {
                bytes.writeBytes(bucket.getRange(piece.key(), from, count));
            }
            start += piece.length();
        }
        if (bytes.size() == 0) {
            throw new IOException("%s has no bytes of %s at %d".formatted(location, warc, offset));
        }
        return bytes.toByteArray();
    }

    @Override
    public void addDependent(String name, String text) throws IOException {
        bucket.putText(DEPENDENTS + name, text);
    }

    /** Registers in a crawl's directory the crawls that refer to its copy in a bucket. */
    public static void addDependents(S3Location location, Path crawl) throws IOException {
        try (var bucket = Bucket.open(location, new AtomicLong())) {
            for (var key : bucket.list(DEPENDENTS)) {
                var text = bucket.getText(key).orElse("");
                Dependents.add(new RealDisk(), crawl, Dependents.fileName(text), text);
            }
        }
    }

    @Override
    public void close() {
        bucket.close();
    }
}
