package dev.orbweaver.internal.archive;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The pages that an export left out because work on their content failed, with the reason. */
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

    /** A sentence for each of the first, and one for the rest. */
    public List<String> notes() {
        var notes = new ArrayList<String>();
        for (var entry : reasons.entrySet()) {
            if (notes.size() == NOTES_MAX) {
                break;
            }
            notes.add(
                    "the content of %s was left out, because it could not be processed: %s"
                            .formatted(entry.getKey(), entry.getValue()));
        }
        var more = reasons.size() - notes.size() + others;
        if (more > 0) {
            notes.add(more + " more pages were left out for such reasons; the log names them");
        }
        return notes;
    }
}
