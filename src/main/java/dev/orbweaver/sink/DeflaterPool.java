package dev.orbweaver.sink;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.zip.Deflater;

/**
 * Deflaters to be used again: each holds a quarter of a megabyte outside the heap and is dear to
 * make.
 */
final class DeflaterPool implements AutoCloseable {

    private final ConcurrentLinkedQueue<Deflater> idle = new ConcurrentLinkedQueue<>();

    Deflater take() {
        var deflater = idle.poll();
        return deflater == null ? new Deflater(Deflater.DEFAULT_COMPRESSION, true) : deflater;
    }

    void give(Deflater deflater) {
        deflater.reset();
        idle.add(deflater);
    }

    @Override
    public void close() {
        for (var deflater = idle.poll(); deflater != null; deflater = idle.poll()) {
            deflater.end();
        }
    }
}
