package dev.orbweaver.internal.crawl;

import java.io.IOException;

/**
 * The local files of a crawl. Open files can be written even after they were deleted, so their
 * presence must be checked explicitly.
 */
public interface LocalStorage {

    /** Storage that never fails. */
    LocalStorage NONE =
            new LocalStorage() {
                @Override
                public void check() {}

                @Override
                public void repair() {}
            };

    /**
     * Fails if files of the crawl were deleted or replaced. Must be cheap: it is called every
     * second.
     */
    void check() throws IOException;

    /**
     * Restores what can be restored after a failure, such as the directory for temporary files.
     *
     * @throws IOException if nothing can be stored yet
     */
    void repair() throws IOException;
}
