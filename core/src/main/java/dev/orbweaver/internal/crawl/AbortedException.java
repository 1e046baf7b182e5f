package dev.orbweaver.internal.crawl;

import java.io.IOException;

/** A request was aborted, as its gate may be another worker's; the URL is fetched later. */
final class AbortedException extends IOException {
    private static final long serialVersionUID = 1;
}
