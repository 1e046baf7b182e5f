package dev.orbweaver.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Pages of the live web's sizes (log-normal, median 138 KB, mean 242 KB), served by nginx from
 * compressed files that are made before, over connections for one request each.
 *
 * <p>A page is a head of its own, with its links and text, and one of {@value #BODIES} bodies.
 * Heads and bodies are compressed separately and joined into one gzip stream, so making a page
 * costs little more than writing it.
 */
final class BigSite implements AutoCloseable {

    private static final int BODIES = 400;
    private static final int HOSTS = 20;
    private static final int MEDIAN_BYTES = 138_000;
    private static final int MEAN_BYTES = 242_000;
    private static final int HEAD_BYTES = 6_500;
    private static final long DRAWS_PER_BODY = 101;
    private static final int WORDS = 5_000;
    private static final int LINKS = 80;
    private static final int CHILDREN = 8;
    private static final int PAGES_PER_SECTION = 100;
    private static final int LOG_FIELDS = 4;
    private static final byte[] GZIP_HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 255};

    /** A page's shared part: its text, and the end of a deflate stream that contains it. */
    private record PageBody(byte[] text, byte[] deflated) {}

    /** What the server has sent since its start. */
    record Served(List<Double> times, long resumed, long compressedBytes) {}

    private final NginxProcess nginx;
    private final List<String> seeds;
    private final int pages;
    private final long bytes;

    private BigSite(NginxProcess nginx, List<String> seeds, int pages, long bytes) {
        this.nginx = nginx;
        this.seeds = seeds;
        this.pages = pages;
        this.bytes = bytes;
    }

    /** Makes the pages, of which each host has the same number, and starts the server. */
    static BigSite start(int pages, boolean tls, long seed)
            throws IOException, InterruptedException {
        var directory = createDirectory(pages);
        var perHost = Math.ceilDiv(pages, HOSTS);
        var bytes = writePages(directory.resolve("www"), perHost, new Random(seed));
        if (tls) {
            PageServer.createCertificate(directory);
        }
        var port = NginxProcess.freePort(address(0));
        var seeds = new ArrayList<String>();
        var http = new StringBuilder("gzip_static always;\n");
        if (tls) {
            http.append(
                    "ssl_certificate %1$s/cert.pem; ssl_certificate_key %1$s/key.pem; ssl_protocols TLSv1.3;%n"
                            .formatted(directory));
        }
        for (var host = 0; host < HOSTS; host++) {
            http.append(
                    "server { listen %s:%d%s backlog=4096; keepalive_timeout 0; root %s/www/%d; }%n"
                            .formatted(address(host), port, tls ? " ssl" : "", directory, host));
            seeds.add("%s://%s:%d/0/0.html".formatted(tls ? "https" : "http", address(host), port));
        }
        var nginx =
                NginxProcess.start(
                        directory,
                        "$msec $status $ssl_session_reused. $body_bytes_sent",
                        http.toString(),
                        address(0),
                        port);
        return new BigSite(nginx, seeds, perHost * HOSTS, bytes);
    }

    /** Keeps the pages in memory if they fit, so that the crawler has the disk to itself. */
    private static Path createDirectory(int pages) throws IOException {
        var memory = Path.of("/dev/shm");
        var fits =
                Files.isWritable(memory)
                        && Files.getFileStore(memory).getUsableSpace() > (long) pages * MEAN_BYTES;
        return fits
                ? Files.createTempDirectory(memory, "orbweaver-nginx")
                : Files.createTempDirectory("orbweaver-nginx");
    }

    private static String address(int host) {
        return "127.0.2." + (host + 1);
    }

    private static long writePages(Path root, int perHost, Random random) throws IOException {
        var bodies = bodies(random);
        var bytes = 0L;
        for (var host = 0; host < HOSTS; host++) {
            for (var page = 0; page < perHost; page++) {
                var file = root.resolve(host + path(page) + ".gz");
                Files.createDirectories(file.getParent());
                var body = bodies.get(random.nextInt(BODIES));
                var head = head(host, page, perHost, random);
                Files.write(file, gzip(head, body));
                bytes += head.length + body.text().length;
            }
        }
        return bytes;
    }

    private static String path(int page) {
        return "/%d/%d.html".formatted(page / PAGES_PER_SECTION, page);
    }

    /** Makes bodies whose sizes are the quantiles of the distribution. */
    private static List<PageBody> bodies(Random random) {
        var sigma = Math.sqrt(2 * Math.log((double) MEAN_BYTES / MEDIAN_BYTES));
        var sizes =
                DoubleStream.generate(random::nextGaussian)
                        .limit(BODIES * DRAWS_PER_BODY)
                        .map(normal -> MEDIAN_BYTES * Math.exp(sigma * normal))
                        .sorted()
                        .toArray();
        return IntStream.range(0, BODIES)
                .map(i -> (int) (i * DRAWS_PER_BODY + DRAWS_PER_BODY / 2))
                .mapToObj(quantile -> body((int) sizes[quantile], random))
                .toList();
    }

    private static PageBody body(int size, Random random) {
        var text = new StringBuilder(size);
        while (text.length() < size - HEAD_BYTES) {
            text.append("<div class=\"section content-block column-")
                    .append(random.nextInt(12))
                    .append("\">\n  <p class=\"text-body text-large\"><span class=\"label\">");
            addWords(text, 2, random);
            text.append("</span> ");
            addWords(text, 5 + random.nextInt(25), random);
            text.append("</p>\n</div>\n");
        }
        var bytes = text.append("</body></html>\n").toString().getBytes(US_ASCII);
        return new PageBody(bytes, deflate(bytes, true));
    }

    private static byte[] head(int host, int page, int perHost, Random random) {
        var head = new StringBuilder("<!DOCTYPE html><html><head><title>Page ");
        head.append(page).append(" of host ").append(host);
        head.append("</title></head><body><ul>\n");
        for (var link = 1; link <= LINKS; link++) {
            var child = page * CHILDREN + link;
            var target = link <= CHILDREN && child < perHost ? child : random.nextInt(perHost);
            head.append("<li><a href=\"").append(path(target)).append("\">");
            addWords(head, 3, random);
            head.append("</a></li>\n");
        }
        head.append("</ul><p>");
        addWords(head, 150, random);
        return head.append("</p>\n").toString().getBytes(US_ASCII);
    }

    /** Adds words of random letters, some frequent and most rare, as in a language. */
    private static void addWords(StringBuilder text, int count, Random random) {
        for (var i = 0; i < count; i++) {
            var word = (int) Math.exp(random.nextDouble() * Math.log(WORDS));
            var letters = new Random(word);
            for (var length = 2 + letters.nextInt(9); length > 0; length--) {
                text.append((char) ('a' + letters.nextInt(26)));
            }
            text.append(' ');
        }
    }

    private static byte[] gzip(byte[] head, PageBody body) {
        var crc = new CRC32();
        crc.update(head);
        crc.update(body.text());
        var out = new ByteArrayOutputStream(body.deflated().length + HEAD_BYTES);
        out.writeBytes(GZIP_HEADER);
        out.writeBytes(deflate(head, false));
        out.writeBytes(body.deflated());
        out.writeBytes(
                ByteBuffer.allocate(8)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt((int) crc.getValue())
                        .putInt(head.length + body.text().length)
                        .array());
        return out.toByteArray();
    }

    /** Compresses a part of a stream that ends with it, or at a byte's end so that it goes on. */
    private static byte[] deflate(byte[] bytes, boolean last) {
        try (var deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true)) {
            deflater.setInput(bytes);
            if (last) {
                deflater.finish();
            }
            var out = new ByteArrayOutputStream(bytes.length / 3);
            var buffer = new byte[64 << 10];
            var flush = last ? Deflater.NO_FLUSH : Deflater.SYNC_FLUSH;
            for (var length = deflater.deflate(buffer, 0, buffer.length, flush);
                    length > 0;
                    length = deflater.deflate(buffer, 0, buffer.length, flush)) {
                out.write(buffer, 0, length);
            }
            return out.toByteArray();
        }
    }

    List<String> seeds() {
        return seeds;
    }

    int pages() {
        return pages;
    }

    long meanBytes() {
        return bytes / pages;
    }

    double cpuSeconds() throws IOException {
        return nginx.cpuSeconds();
    }

    /** Reads from the log what was sent with status 200. */
    Served served() throws IOException, InterruptedException {
        var times = new ArrayList<Double>();
        var resumed = 0L;
        var compressedBytes = 0L;
        for (var line : Files.readAllLines(nginx.log(), US_ASCII)) {
            var fields = line.split(" ", LOG_FIELDS);
            if (fields.length == LOG_FIELDS && fields[1].equals("200")) {
                times.add(Double.valueOf(fields[0]));
                resumed += fields[2].equals("r.") ? 1 : 0;
                compressedBytes += Long.parseLong(fields[3]);
            }
        }
        times.sort(Double::compare);
        return new Served(times, resumed, compressedBytes);
    }

    @Override
    public void close() throws IOException {
        nginx.close();
    }
}
