package dev.orbweaver.internal.archive;

import java.io.IOException;

/** Is shown the lines of a page log, one after another. */
@FunctionalInterface
public interface PageVisitor {

    void visit(StoredPage page) throws IOException;
}
