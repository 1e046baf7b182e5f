package dev.orbweaver.internal.crawl;

import java.io.IOException;

/**
 * Thrown when a request is aborted because another worker may own its gate now; the URL is fetched
 * later.
 */
final class AbortedException extends IOException {
    private static final long serialVersionUID = 1;
}
