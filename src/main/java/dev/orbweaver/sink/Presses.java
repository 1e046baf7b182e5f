package dev.orbweaver.sink;

import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Presses to be used again: each holds up to a megabyte outside the heap and is dear to make. There
 * are never more than records are made at the same time.
 */
final class Presses implements AutoCloseable {

    private final Compression compression;
    private final ConcurrentLinkedQueue<Press> idle = new ConcurrentLinkedQueue<>();

    Presses(Compression compression) {
        this.compression = compression;
    }

    Press take() {
        var press = idle.poll();
        return press == null ? new Press(compression) : press;
    }

    void give(Press press) {
        idle.add(press);
    }

    @Override
    public void close() {
        for (var press = idle.poll(); press != null; press = idle.poll()) {
            press.close();
        }
    }
}
