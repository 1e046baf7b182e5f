package dev.orbweaver.internal.archive;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Collects the pages that an export skipped because their content could not be processed, with the
 * reasons.
 */
public final class SkippedPages {

    private static final Logger LOG = LoggerFactory.getLogger(SkippedPages.class);
    private static final int NOTES_MAX = 10;
    private static final int REASONS_MAX = 10_000;

    private final Map<String, String> reasons = new LinkedHashMap<>();
    private long others;

    void add(StoredPage page, Throwable error) {
        LOG.warn("could not process the content of {}", page.url(), error);
        if (reasons.size() < REASONS_MAX) {
            reasons.putIfAbsent(page.url(), error.toString());
        } else if (!reasons.containsKey(page.url())) {
            others++;
        }
    }

    public boolean contains(StoredPage page) {
        return reasons.containsKey(page.url());
    }

    /** Returns one message for each of the first skipped pages, and one for the rest. */
    public List<String> notes() {
        var notes = new ArrayList<String>();
        for (var entry : reasons.entrySet()) {
            if (notes.size() == NOTES_MAX) {
                break;
            }
            notes.add(
                    "skipped the content of %s: it could not be processed: %s"
                            .formatted(entry.getKey(), entry.getValue()));
        }
        var more = reasons.size() - notes.size() + others;
        if (more > 0) {
            notes.add(
                    more
                            + " more pages were skipped for the same kind of reason; see the log"
                            + " for their URLs");
        }
        return notes;
    }
}
