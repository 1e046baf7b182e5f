package dev.orbweaver.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.AppendFile;
import dev.orbweaver.internal.disk.ChecksummedFile;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.disk.RunningChecksum;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.CommittedLength;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.netpreserve.jwarc.WarcDigest;

import tools.jackson.databind.json.JsonMapper;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.GZIPInputStream;

/** The optimised code on the write path, compared with simple implementations. */
class WritePathTest {

    @TempDir Path directory;

    @Test
    void timesAreWrittenAsTheLibraryWritesThem() {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        var edges =
                List.of(
                        "0000-01-01T00:00:00Z",
                        "-0001-12-31T23:59:59.999999999Z",
                        "9999-12-31T23:59:59.999999999Z",
                        "+10000-01-01T00:00:00Z",
                        "1969-12-31T23:59:59.001Z",
                        "2024-02-29T23:59:59.000001Z",
                        "1970-01-01T00:00:00Z");
        var times = new ArrayList<>(edges.stream().map(Instant::parse).toList());
        for (var i = 0; i < 20_000; i++) {
            var nanos =
                    switch (i % 4) {
                        case 0 -> 0;
                        case 1 -> random.nextInt(1_000) * 1_000_000;
                        case 2 -> random.nextInt(1_000_000) * 1_000;
                        default -> random.nextInt(1_000_000_000);
                    };
            times.add(
                    Instant.ofEpochSecond(
                            random.nextLong(-70_000_000_000L, 300_000_000_000L), nanos));
        }
        for (var time : times) {
            assertThat(IsoTime.of(time)).as("seed %d", seed).isEqualTo(time.toString());
        }
    }

    @Test
    void digestsAreWrittenAsTheLibraryWritesThem() {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        for (var i = 0; i < 1_000; i++) {
            var digest = new byte[20];
            random.nextBytes(digest);
            assertThat(Sha1.format(digest))
                    .as("seed %d", seed)
                    .isEqualTo(new WarcDigest("sha1", digest).prefixedBase32());
        }
    }

    @Test
    void recordsHaveNamesThatDifferAndSayThatTheyAreRandom() {
        var names = new HashSet<String>();
        var ids = List.of(new RecordIds(), new RecordIds());
        for (var i = 0; i < 20_000; i++) {
            var name = ids.get(i % 2).next();
            var uuid = UUID.fromString(name.substring("urn:uuid:".length()));
            assertThat(uuid.version()).isEqualTo(4);
            assertThat(uuid.variant()).isEqualTo(2);
            names.add(name);
        }
        assertThat(names).hasSize(20_000);
    }

    /** Captures of all sizes in sequence, each found complete in the encoder's output. */
    @ParameterizedTest
    @EnumSource(Compression.class)
    void anEncoderWritesWhatStreamsWriteForAnySizeQuicklyOrThoroughly(Compression compression)
            throws IOException {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        try (var recordEncoder = new RecordEncoder(compression)) {
            for (var i = 0; i < 60; i++) {
                var head = text(random, random.nextInt(600));
                var blockHead = text(random, random.nextInt(600));
                var size = random.nextInt(1 << random.nextInt(19));
                // Half of them are incompressible, so that no output size can be assumed.
                var bytes = i % 2 == 0 ? text(random, size + 7) : noise(random, size + 7);
                var request = text(random, random.nextInt(90_000));
                recordEncoder.reset(i % 3 > 0);
                recordEncoder.add(head, blockHead, new Body.InMemory(bytes, size));
                recordEncoder.add(request, new byte[0], Body.EMPTY);
                var made = whole(recordEncoder, bytes, size);
                var wanted = new ByteArrayOutputStream();
                wanted.writeBytes(head);
                wanted.writeBytes(blockHead);
                wanted.write(bytes, 0, size);
                wanted.writeBytes(RecordEncoder.RECORD_END);
                wanted.writeBytes(request);
                wanted.writeBytes(RecordEncoder.RECORD_END);
                assertThat(recordEncoder.length()).as("seed %d", seed).isEqualTo(made.length);
                assertThat(decompressed(compression, made))
                        .as("seed %d", seed)
                        .isEqualTo(wanted.toByteArray());
            }
        }
    }

    private static byte[] text(Random random, int length) {
        var text = new byte[length];
        for (var i = 0; i < length; i++) {
            text[i] = (byte) "<p>ab ".charAt(random.nextInt(6));
        }
        return text;
    }

    private static byte[] noise(Random random, int length) {
        var noise = new byte[length];
        random.nextBytes(noise);
        return noise;
    }

    /** The records with the body inserted. */
    private static byte[] whole(RecordEncoder recordEncoder, byte[] body, int size) {
        var records = recordEncoder.bytes();
        var gap =
                recordEncoder.bodyOffset() == PreparedCapture.BODY_INCLUDED
                        ? records.length
                        : recordEncoder.bodyOffset();
        var all = new ByteArrayOutputStream();
        all.write(records, 0, gap);
        if (gap < records.length) {
            all.write(body, 0, size);
            all.write(records, gap, records.length - gap);
        }
        return all.toByteArray();
    }

    private static byte[] decompressed(Compression compression, byte[] records) throws IOException {
        InputStream stored = new ByteArrayInputStream(records);
        try (var in =
                compression == Compression.GZIP
                        ? new GZIPInputStream(stored)
                        : compression.decompress(stored)) {
            return in.readAllBytes();
        }
    }

    @Test
    void gzipUsesIsalOnMachinesThatHaveIt() {
        assumeThat(System.getProperty("os.arch")).isEqualTo("amd64");
        assertThat(GzipDeflaters.hasIsal()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(value = Compression.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void aRecordThatComesLateIsCompressedThoroughly(Compression compression) {
        var text = words(new Random(7), 40_000);
        var quick = sizeOf(compression, text, true);
        var thorough = sizeOf(compression, text, false);
        assertThat(thorough).isLessThan(quick);
        try (var pool = new RecordEncoderPool(compression)) {
            assertThat(sizes(pool, text, 0)).as("records in a row").contains(quick);
            assertThat(sizes(pool, text, 20)).as("with pauses").containsOnly(thorough);
        }
    }

    /** Text in which most sequences of letters come again. */
    private static byte[] words(Random random, int length) {
        var words = new StringBuilder();
        while (words.length() < length) {
            words.append("word")
                    .append(random.nextInt(2_000))
                    .append(random.nextInt(9))
                    .append(' ');
        }
        return words.toString().getBytes(UTF_8);
    }

    private static long sizeOf(Compression compression, byte[] text, boolean quickly) {
        try (var encoder = new RecordEncoder(compression)) {
            encoder.reset(quickly);
            encoder.add(text);
            return encoder.length();
        }
    }

    /** The sizes of records that are encoded one after the other with a pause before each. */
    private static Set<Long> sizes(RecordEncoderPool pool, byte[] text, long pauseMillis) {
        var sizes = new HashSet<Long>();
        for (var i = 0; i < 20; i++) {
            LockSupport.parkNanos(pauseMillis * 1_000_000);
            var encoder = pool.acquire();
            encoder.add(text);
            sizes.add(encoder.length());
            pool.release(encoder);
        }
        return sizes;
    }

    @Test
    void twoBodiesInOneCaptureAreRefusedWhereOneWouldBeLost() {
        try (var recordEncoder = new RecordEncoder(Compression.NONE)) {
            var body = new Body.InMemory(new byte[] {1}, 1);
            recordEncoder.reset(true);
            recordEncoder.add(new byte[0], new byte[0], body);
            assertThatThrownBy(() -> recordEncoder.add(new byte[0], new byte[0], body))
                    .hasMessageContaining("only one record");
        }
    }

    @Test
    void aBodyThatCouldNotBeReadLeavesNothingInTheNextDigest() throws IOException {
        var records = new WarcRecords(Compression.NONE, directory);
        try {
            var gone = new Body.InFile(directory, 10); // A directory opens, but cannot be read.
            assertThatThrownBy(() -> records.prepare(Captures.page("http://a.test/x", gone)))
                    .isInstanceOf(IOException.class);
            var half = ResponseDigests.of(new Sha1(), new byte[0], Body.EMPTY, true);
            assertThat(records.prepare(Captures.page("http://a.test/x", "")).digest())
                    .isEqualTo(half.payload());
            var used = new Sha1();
            used.payload.update((byte) 1);
            used.block.update((byte) 1);
            var clean = ResponseDigests.of(used, new byte[0], Body.EMPTY, true);
            assertThat(clean.payload()).isEqualTo(half.payload());
            assertThat(clean.block()).isEqualTo(half.block());
        } finally {
            records.close();
        }
    }

    @Test
    void aLineOfThePageLogIsEscapedAsTheUsualLibraryReadsIt() {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        for (var i = 0; i < 5_000; i++) {
            var text = new StringBuilder();
            for (var left = random.nextInt(12); left > 0; left--) {
                text.append(
                        (char)
                                (random.nextInt(8) == 0
                                        ? random.nextInt(65_536)
                                        : random.nextInt(160)));
            }
            var line = new String(new JsonLine().text("t", text.toString()).toBytes(), UTF_8);
            var read = JsonMapper.shared().readTree(line);
            assertThat(read.path("t").asString("")).as("seed %d", seed).isEqualTo(text.toString());
        }
    }

    /** A file that records its calls. */
    private static class RecordingFile implements AppendFile {
        private final ByteArrayOutputStream content = new ByteArrayOutputStream();
        private final List<String> calls = new ArrayList<>();

        @Override
        public long length() {
            return content.size();
        }

        @Override
        public void append(ByteBuffer bytes) throws IOException {
            calls.add("append " + bytes.remaining());
            var copy = new byte[bytes.remaining()];
            bytes.get(copy);
            content.writeBytes(copy);
        }

        @Override
        public void append(Path file) throws IOException {
            calls.add("append a file");
            content.writeBytes(Files.readAllBytes(file));
        }

        @Override
        public void sync() {
            calls.add("sync");
        }

        @Override
        public void close() {
            calls.add("close");
        }
    }

    @Test
    void smallPiecesReachTheDiskAsOneLargeAndInOrder() throws IOException {
        var recordingFile = new RecordingFile();
        var staged = staged(recordingFile, 10, Runnable::run);
        staged.append(ByteBuffer.wrap("abc".getBytes(UTF_8)));
        staged.append(ByteBuffer.wrap("defg".getBytes(UTF_8)));
        assertThat(staged.length()).isEqualTo(7);
        assertThat(recordingFile.calls).isEmpty();
        staged.flush();
        assertThat(recordingFile.calls).containsExactly("append 7");
        staged.append(ByteBuffer.wrap("hijk".getBytes(UTF_8)));
        staged.append(ByteBuffer.wrap("a longer piece than fits".getBytes(UTF_8)));
        staged.flush();
        assertThat(recordingFile.calls)
                .containsExactly("append 7", "append 10", "append 10", "append 8");
        staged.append(ByteBuffer.wrap("l".getBytes(UTF_8)));
        staged.append(Files.writeString(directory.resolve("file"), "mn"));
        staged.append(ByteBuffer.wrap("o".getBytes(UTF_8)));
        assertThat(staged.length()).isEqualTo(39);
        staged.sync();
        assertThat(recordingFile.calls)
                .endsWith("append 8", "append 1", "append a file", "append 1", "sync");
        assertThat(recordingFile.content)
                .asString()
                .isEqualTo("abcdefghijka longer piece than fitslmno");
    }

    private static BufferedAppendFile staged(AppendFile file, int bytes, Executor writer) {
        return new BufferedAppendFile(
                new ChecksummedFile(file, 0),
                new BufferedAppendFile.WriteBuffer(ByteBuffer.allocate(bytes)),
                writer);
    }

    @Test
    void aWriterWritesWhileBytesAreCollectedAndAFlushAwaitsIt() throws Exception {
        var recordingFile = new RecordingFile();
        var writes = new LinkedBlockingQueue<Runnable>();
        try (var staged = staged(recordingFile, 1_000_000, writes::add)) {
            staged.append(ByteBuffer.allocate(600_000));
            staged.append(ByteBuffer.allocate(600_000));
            assertThat(recordingFile.calls).as("the writer has not started").isEmpty();
            assertThat(staged.length()).isEqualTo(1_200_000);
            assertThatThrownBy(() -> staged.committedLength("a"))
                    .isInstanceOf(IllegalStateException.class);
            var writer = Thread.startVirtualThread(() -> runAll(writes, 2));
            staged.flush();
            writer.join();
            assertThat(recordingFile.calls).containsExactly("append 600000", "append 600000");
            assertThat(staged.committedLength("a").length()).isEqualTo(1_200_000);
            var _ = Thread.startVirtualThread(() -> runAll(writes, 1));
            staged.append(ByteBuffer.allocate(90_000));
            staged.sync();
            assertThat(recordingFile.calls).endsWith("append 90000", "sync");
        }
    }

    private static void runAll(BlockingQueue<Runnable> writes, int count) {
        try {
            for (var i = 0; i < count; i++) {
                writes.take().run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void theFailureOfAWriteIsReportedByTheFlush() throws IOException {
        var failing =
                new RecordingFile() {
                    @Override
                    public void append(ByteBuffer bytes) throws IOException {
                        throw new IOException("no space left on device");
                    }
                };
        var staged = staged(failing, 100_000, Thread::startVirtualThread);
        staged.append(ByteBuffer.allocate(70_000));
        assertThatThrownBy(staged::flush).hasMessage("no space left on device");
        staged.close();
    }

    @Test
    void appendsOfAllSizesAreInTheFileAfterEachFlush() throws IOException {
        var random = new Random(11);
        var file = directory.resolve("large");
        var expected = new ByteArrayOutputStream();
        var disk = new RealDisk();
        var buffer = BufferedAppendFile.WriteBuffer.allocate();
        for (var part = 0; part < 3; part++) { // Each continues at some distance to a block.
            var checksum = new RunningChecksum(0);
            checksum.update(ByteBuffer.wrap(expected.toByteArray()));
            try (var staged =
                    new BufferedAppendFile(
                            new ChecksummedFile(disk.append(file), checksum.value()),
                            buffer,
                            disk.writer())) {
                for (var i = 0; i < 40; i++) {
                    var bytes = new byte[random.nextInt(1, 1 << random.nextInt(1, 22))];
                    random.nextBytes(bytes);
                    staged.append(ByteBuffer.wrap(bytes));
                    expected.writeBytes(bytes);
                    if (i % 4 == 0) {
                        staged.flush();
                        assertThat(Files.size(file)).isEqualTo(expected.size());
                    }
                }
                staged.flush();
                var whole = new RunningChecksum(0);
                whole.update(ByteBuffer.wrap(expected.toByteArray()));
                assertThat(staged.committedLength("large"))
                        .isEqualTo(new CommittedLength("large", expected.size(), whole.value()));
            }
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(expected.toByteArray());
    }

    @Test
    void whatIsBeingTakenBackIsNotWrittenOnClosing() throws IOException {
        var recordingFile = new RecordingFile();
        try (var staged = staged(recordingFile, 10, Runnable::run)) {
            staged.append(ByteBuffer.wrap("abc".getBytes(UTF_8)));
        }
        assertThat(recordingFile.calls).containsExactly("close");
    }
}
