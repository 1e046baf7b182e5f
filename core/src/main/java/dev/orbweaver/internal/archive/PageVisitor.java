package dev.orbweaver.internal.archive;

import java.io.IOException;

/** Receives the lines of a page log in order. */
@FunctionalInterface
public interface PageVisitor {

    void visit(StoredPage page) throws IOException;
}
