package dev.orbweaver.imports;

import dev.orbweaver.model.CrawlUrl;

import java.io.IOException;
import java.io.OutputStream;

/** Fails when a decoded response exceeds {@link SourceClient#BODY_BYTES_MAX}. */
final class LimitedOutput extends OutputStream {

    private final OutputStream out;
    private final CrawlUrl url;
    private long left = SourceClient.BODY_BYTES_MAX;

    LimitedOutput(OutputStream out, CrawlUrl url) {
        this.out = out;
        this.url = url;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        left -= length;
        if (left < 0) {
            throw new SourceException(url + ": the response is larger than 1 GB when decoded");
        }
        out.write(bytes, offset, length);
    }
}
