package dev.orbweaver.sinks.s3;

import dev.orbweaver.sinks.backup.Checkpoint;
import dev.orbweaver.sinks.backup.PieceStore;
import dev.orbweaver.sinks.backup.Sha256;

import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A bucket of any S3 server. Objects are sent with their MD5, which every server verifies, and read
 * back against their SHA-256. A long object is uploaded in parts; those that an interrupted upload
 * left are compared by MD5 and not sent again.
 */
final class Bucket implements PieceStore {

    /**
     * S3's minimum part size, except for the last part, is 5 MiB, and there are at most 10,000
     * parts.
     */
    static final int PART_BYTES = 8 << 20;

    private static final int PARTS_MAX = 9_000;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(60);
    private static final int BUFFER = 1 << 16;
    private static final int MESSAGE_MAX = 200;

    private final S3Location location;
    private final String bucket;
    private final S3Client client;
    private final AtomicLong transferredBytes;

    private Bucket(S3Location place, S3Client client, AtomicLong moved) {
        this.location = place;
        this.bucket = place.bucket();
        this.client = client;
        this.transferredBytes = moved;
    }

    /**
     * Opens a bucket. Credentials and region come from the usual environment variables and files.
     *
     * @param moved counts transferred bytes
     */
    static Bucket open(S3Location place, AtomicLong moved) throws IOException {
        var builder =
                S3Client.builder()
                        .httpClientBuilder(
                                UrlConnectionHttpClient.builder()
                                        .connectionTimeout(CONNECT_TIMEOUT)
                                        .socketTimeout(SOCKET_TIMEOUT))
                        .credentialsProvider(DefaultCredentialsProvider.builder().build())
                        // Trailing checksums are specific to Amazon; every server supports MD5.
                        .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                        .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED);
        place.endpoint()
                .ifPresent(
                        endpoint ->
                                builder.endpointOverride(endpoint)
                                        .region(regionOr(Region.US_EAST_1))
                                        .serviceConfiguration(
                                                S3Configuration.builder()
                                                        .pathStyleAccessEnabled(true)
                                                        .chunkedEncodingEnabled(false)
                                                        .build()));
        try {
            return new Bucket(place, builder.build(), moved);
        } catch (SdkException e) {
            throw new IOException("could not use " + place + ": " + shortMessage(e), e);
        }
    }

    private static Region regionOr(Region fallback) {
        return Optional.ofNullable(System.getenv("AWS_REGION")).map(Region::of).orElse(fallback);
    }

    private interface Call<T> {
        T make() throws IOException;
    }

    private <T> T call(String what, Call<T> call) throws IOException {
        try {
            return call.make();
        } catch (SdkException e) {
            throw new IOException(what + " " + location + ": " + shortMessage(e), e);
        }
    }

    /**
     * Returns a short message; the library's own lists every source of credentials that it has
     * tried.
     */
    static String shortMessage(SdkException e) {
        var text = String.valueOf(e.getMessage());
        if (text.contains("Unable to load credentials")) {
            return "no credentials found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
        }
        if (text.contains("Unable to load region")) {
            return "no region found: set AWS_REGION, or s3-endpoint for another server";
        }
        var line = text.lines().findFirst().orElse(text);
        return line.length() > MESSAGE_MAX ? line.substring(0, MESSAGE_MAX) + "..." : line;
    }

    /** Uploads a part of a file whose hash is known. */
    @Override
    public void put(Checkpoint.Piece piece, Path file, long offset) throws IOException {
        if (piece.length() <= PART_BYTES) {
            var bytes = read(file, offset, piece.length());
            requireHash(piece, Sha256.digest(), bytes, file);
            putWhole(piece.key(), bytes);
        } else {
            putMultipart(piece, file, offset);
        }
    }

    private static void requireHash(
            Checkpoint.Piece piece, MessageDigest digest, byte[] bytes, Path file)
            throws IOException {
        digest.update(bytes);
        if (!Sha256.hex(digest).equals(piece.sha256())) {
            throw Sha256.changed(file);
        }
    }

    @Override
    public void putText(String name, String text) throws IOException {
        putWhole(name, text.getBytes(StandardCharsets.UTF_8));
    }

    void putWhole(String name, byte[] bytes) throws IOException {
        var _ =
                call(
                        "could not write to",
                        () ->
                                client.putObject(
                                        request ->
                                                request.bucket(bucket)
                                                        .key(location.key(name))
                                                        .contentMD5(md5(bytes)),
                                        RequestBody.fromBytes(bytes)));
        transferredBytes.addAndGet(bytes.length);
    }

    private void putMultipart(Checkpoint.Piece piece, Path file, long offset) throws IOException {
        var key = location.key(piece.key());
        var length = piece.length();
        var digest = Sha256.digest();
        var size = Math.max(PART_BYTES, Math.toIntExact(length / PARTS_MAX + 1));
        var upload = unfinishedUploads(key).stream().findFirst().orElse("");
        if (upload.isEmpty()) {
            upload =
                    call(
                            "could not write to",
                            () ->
                                    client.createMultipartUpload(
                                                    request -> request.bucket(bucket).key(key))
                                            .uploadId());
        }
        var there = uploadedParts(key, upload);
        var parts = new ArrayList<CompletedPart>();
        for (var at = 0L; at < length; at += size) {
            var number = parts.size() + 1;
            var bytes = read(file, offset + at, Math.min(size, length - at));
            var tag = hex(md5Bytes(bytes));
            digest.update(bytes);
            if (!tag.equals(there.get(number))) {
                tag = putPart(key, upload, number, bytes);
            }
            transferredBytes.addAndGet(bytes.length);
            parts.add(CompletedPart.builder().partNumber(number).eTag(tag).build());
        }
        requireHash(piece, digest, new byte[0], file);
        var id = upload;
        var _ =
                call(
                        "could not write to",
                        () ->
                                client.completeMultipartUpload(
                                        request ->
                                                request.bucket(bucket)
                                                        .key(key)
                                                        .uploadId(id)
                                                        .multipartUpload(all -> all.parts(parts))));
    }

    private String putPart(String key, String upload, int number, byte[] bytes) throws IOException {
        return call(
                "could not write to",
                () ->
                        client.uploadPart(
                                        request ->
                                                request.bucket(bucket)
                                                        .key(key)
                                                        .uploadId(upload)
                                                        .partNumber(number)
                                                        .contentMD5(md5(bytes)),
                                        RequestBody.fromBytes(bytes))
                                .eTag());
    }

    /** Returns unfinished uploads of a key or of all keys with this prefix. */
    private List<String> unfinishedUploads(String key) throws IOException {
        return call(
                "could not read",
                () ->
                        client
                                .listMultipartUploads(request -> request.bucket(bucket).prefix(key))
                                .uploads()
                                .stream()
                                .filter(upload -> upload.key().equals(key))
                                .map(upload -> upload.uploadId())
                                .toList());
    }

    @Override
    public void removeUnfinished(String beginning) throws IOException {
        var left =
                call(
                        "could not read",
                        () ->
                                client
                                        .listMultipartUploadsPaginator(
                                                request ->
                                                        request.bucket(bucket)
                                                                .prefix(location.key(beginning)))
                                        .uploads()
                                        .stream()
                                        .toList());
        for (var upload : left) {
            if (upload.key().startsWith(location.key(beginning))) {
                var _ =
                        call(
                                "could not delete from",
                                () ->
                                        client.abortMultipartUpload(
                                                request ->
                                                        request.bucket(bucket)
                                                                .key(upload.key())
                                                                .uploadId(upload.uploadId())));
            }
        }
    }

    private Map<Integer, String> uploadedParts(String key, String upload) throws IOException {
        return call(
                "could not read",
                () -> {
                    var there = new HashMap<Integer, String>();
                    client.listPartsPaginator(
                                    request -> request.bucket(bucket).key(key).uploadId(upload))
                            .parts()
                            .forEach(
                                    part ->
                                            there.put(
                                                    part.partNumber(),
                                                    part.eTag().replace("\"", "")));
                    return there;
                });
    }

    /** Reads a small object, if it exists. */
    @Override
    public Optional<String> getText(String name) throws IOException {
        return call(
                "could not read",
                () -> {
                    try {
                        var bytes =
                                client.getObjectAsBytes(
                                        request -> request.bucket(bucket).key(location.key(name)));
                        return Optional.of(bytes.asString(StandardCharsets.UTF_8));
                    } catch (NoSuchKeyException none) {
                        return Optional.empty();
                    }
                });
    }

    /** Reads a range of an object; fewer bytes only at its end. */
    byte[] getRange(String key, long offset, int length) throws IOException {
        return call(
                "could not read",
                () -> {
                    var bytes =
                            client.getObjectAsBytes(
                                            request ->
                                                    request.bucket(bucket)
                                                            .key(location.key(key))
                                                            .range(
                                                                    "bytes=%d-%d"
                                                                            .formatted(
                                                                                    offset,
                                                                                    offset + length
                                                                                            - 1)))
                                    .asByteArray();
                    transferredBytes.addAndGet(bytes.length);
                    return bytes;
                });
    }

    /** Copies an object and verifies it. */
    @Override
    public void get(Checkpoint.Piece piece, OutputStream out) throws IOException {
        var sha = Sha256.digest();
        var length =
                call(
                        "could not read",
                        () -> {
                            try (var in =
                                    client.getObject(
                                            request ->
                                                    request.bucket(bucket)
                                                            .key(location.key(piece.key())))) {
                                return copy(in, out, sha);
                            }
                        });
        if (length != piece.length() || !Sha256.hex(sha).equals(piece.sha256())) {
            throw new IOException(
                    "%s in %s does not match the checksum of its upload"
                            .formatted(piece.key(), location));
        }
    }

    private long copy(InputStream in, OutputStream out, MessageDigest digest) throws IOException {
        var buffer = new byte[BUFFER];
        var length = 0L;
        for (var count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            digest.update(buffer, 0, count);
            out.write(buffer, 0, count);
            transferredBytes.addAndGet(count);
            length += count;
        }
        return length;
    }

    @Override
    public List<String> list(String beginning) throws IOException {
        var cut = location.key("").length();
        return call(
                "could not read",
                () ->
                        client
                                .listObjectsV2Paginator(
                                        request ->
                                                request.bucket(bucket)
                                                        .prefix(location.key(beginning)))
                                .contents()
                                .stream()
                                .map(object -> object.key().substring(cut))
                                .toList());
    }

    @Override
    public void delete(String name) throws IOException {
        var _ =
                call(
                        "could not delete from",
                        () ->
                                client.deleteObject(
                                        request -> request.bucket(bucket).key(location.key(name))));
    }

    private static byte[] read(Path file, long offset, long length) throws IOException {
        var bytes = ByteBuffer.allocate(Math.toIntExact(length));
        try (var channel = FileChannel.open(file)) {
            while (bytes.hasRemaining()) {
                if (channel.read(bytes, offset + bytes.position()) < 0) {
                    throw new IOException(file + " was truncated during the upload");
                }
            }
        }
        return bytes.array();
    }

    private static String md5(byte[] bytes) {
        return Base64.getEncoder().encodeToString(md5Bytes(bytes));
    }

    private static byte[] md5Bytes(byte[] bytes) {
        return md5Digest().digest(bytes);
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static MessageDigest md5Digest() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java runtime lacks MD5", e);
        }
    }

    /** A bucket has no locks: only one process may make backups there at a time. */
    @Override
    public Closeable lock() {
        return () -> {};
    }

    @Override
    public String toString() {
        return location.toString();
    }

    @Override
    public void close() {
        client.close();
    }
}
