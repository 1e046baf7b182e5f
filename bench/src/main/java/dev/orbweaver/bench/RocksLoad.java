package dev.orbweaver.bench;

import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * The same load on a general key-value store: seen keys with a Bloom filter in one column family,
 * queued URLs by host, band and order, compressed, in another; batches of a thousand, written to a
 * log without sync.
 */
final class RocksLoad {

    private static final int BATCH = 1000;

    private RocksLoad() {}

    static void run(Path directory, UrlSource source, long urls)
            throws RocksDBException, IOException {
        Files.createDirectories(directory);
        RocksDB.loadLibrary();
        var cache = new LRUCache(128L << 20);
        var table =
                new BlockBasedTableConfig()
                        .setBlockCache(cache)
                        .setFilterPolicy(new BloomFilter(10))
                        .setCacheIndexAndFilterBlocks(true)
                        .setPinL0FilterAndIndexBlocksInCache(true);
        var seenOptions =
                new ColumnFamilyOptions()
                        .setTableFormatConfig(table)
                        .setWriteBufferSize(64L << 20)
                        .setCompressionType(CompressionType.NO_COMPRESSION);
        var queueOptions =
                new ColumnFamilyOptions()
                        .setTableFormatConfig(new BlockBasedTableConfig().setBlockCache(cache))
                        .setWriteBufferSize(64L << 20)
                        .setCompressionType(CompressionType.LZ4_COMPRESSION)
                        .setBottommostCompressionType(CompressionType.ZSTD_COMPRESSION);
        var handles = new ArrayList<ColumnFamilyHandle>();
        try (var options =
                        new DBOptions()
                                .setCreateIfMissing(true)
                                .setCreateMissingColumnFamilies(true)
                                .setMaxBackgroundJobs(2);
                var db =
                        RocksDB.open(
                                options,
                                directory.toString(),
                                List.of(
                                        new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY),
                                        new ColumnFamilyDescriptor(bytes("seen"), seenOptions),
                                        new ColumnFamilyDescriptor(bytes("queue"), queueOptions)),
                                handles);
                var write = new WriteOptions()) {
            var meter = new FrontierLoad.Meter();
            for (var number = 0L; number < urls; number += BATCH) {
                var before = Cpu.threadNanos();
                var candidates = source.candidates(number, BATCH);
                meter.leaveOut(Cpu.threadNanos() - before);
                try (var batch = new WriteBatch()) {
                    var inBatch = new HashSet<ByteBuffer>();
                    for (var candidate : candidates) {
                        var url = candidate.url();
                        var key =
                                ByteBuffer.allocate(10)
                                        .putLong(url.key().high())
                                        .putShort(url.key().low())
                                        .array();
                        if (inBatch.add(ByteBuffer.wrap(key))
                                && db.get(handles.get(1), key) == null) {
                            batch.put(handles.get(1), key, new byte[0]);
                            batch.put(
                                    handles.get(2),
                                    bytes(url.host() + " " + candidate.depth() + " " + number),
                                    bytes(url.text()));
                        }
                    }
                    db.write(write, batch);
                }
                if ((number + BATCH) % (urls / 10) == 0) {
                    System.err.printf("rocksdb: %,d of %,d URLs%n", number + BATCH, urls);
                }
            }
            FrontierLoad.figure("rocksdbNewUrlCpuMicros", meter.micros(urls));
        }
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
