package dev.orbweaver.internal.sink;

import com.intel.gkl.compression.IntelDeflater;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.logging.Level;
import java.util.zip.Deflater;

/**
 * The deflaters for gzip members: a thorough one and, where it is available, a fast one.
 *
 * <p>The fast one is ISA-L by Intel's Genomics Kernel Library: four times the speed of zlib's level
 * 4 for members that are a tenth larger (ADR 30). It is native code for x86-64 and an optional
 * dependency; without it, zlib at a low level takes its place.
 */
final class GzipDeflaters implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(GzipDeflaters.class);

    /** The library tells every process where it is unpacked; kept here, or its level is lost. */
    private static final java.util.logging.Logger LIBRARY_LOG =
            java.util.logging.Logger.getLogger("com.intel.gkl");

    /** The default of the gzip tool. */
    static final int THOROUGH_LEVEL = 6;

    /** Of zlib, where ISA-L is not available. */
    static final int FAST_ZLIB_LEVEL = 3;

    /** The highest level that ISA-L implements; above it, the library uses zlib. */
    private static final int ISAL_LEVEL = 2;

    private static final boolean ISAL = loadIsal();

    private final Deflater thorough = new Deflater(THOROUGH_LEVEL, true);
    private final Deflater fast = ISAL ? Isal.newDeflater() : new Deflater(FAST_ZLIB_LEVEL, true);

    /** A class of its own: it can be neither loaded nor verified without the library. */
    private static final class Isal {

        private static boolean load() {
            return new IntelDeflater(ISAL_LEVEL, true).load(null);
        }

        private static Deflater newDeflater() {
            return new IntelDeflater(ISAL_LEVEL, true);
        }
    }

    /** Returns whether the fast deflater is ISA-L. */
    static boolean hasIsal() {
        return ISAL;
    }

    private static boolean loadIsal() {
        if (!"amd64".equals(System.getProperty("os.arch"))) {
            return false;
        }
        LIBRARY_LOG.setLevel(Level.WARNING);
        try {
            return Isal.load();
        } catch (LinkageError e) { // The library is not on the class path.
            LOG.debug("compressing with zlib: {}", e.toString());
            return false;
        }
    }

    /** Returns the deflater for a record that must be compressed quickly, or need not be. */
    Deflater get(boolean quickly) {
        return quickly ? fast : thorough;
    }

    @Override
    public void close() {
        thorough.end();
        fast.end();
    }
}
