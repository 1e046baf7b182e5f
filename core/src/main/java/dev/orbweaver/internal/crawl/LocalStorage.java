package dev.orbweaver.internal.crawl;

import java.io.IOException;

/**
 * The files of a crawl on the machine it runs on. Files that are open can be written although they
 * were deleted, so whether they are in place has to be asked.
 */
public interface LocalStorage {

    /** Storage that is never lost. */
    LocalStorage NONE =
            new LocalStorage() {
                @Override
                public void check() {}

                @Override
                public void repair() {}
            };

    /** Fails when files of the crawl were deleted or replaced. Cheap: it is called every second. */
    void check() throws IOException;

    /**
     * Called after a failure: restores what can be restored, such as a directory for temporary
     * files, and fails when nothing can be stored.
     */
    void repair() throws IOException;
}
