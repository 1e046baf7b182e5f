package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.AdmissionHook;
import dev.orbweaver.internal.scope.PriorityRules;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;

import java.util.function.Consumer;

/**
 * Applies the user's priority rules to accepted URLs, and passes them to the trap detector.
 *
 * @param links receives the target of every link
 * @param abandonedVisits receives the last capture of each known URL whose host was given up
 */
record RatedAdmission(
        AdmissionHook traps,
        PriorityRules rules,
        Consumer<CrawlUrl> links,
        Consumer<CaptureRef> abandonedVisits)
        implements AdmissionHook {

    @Override
    public void abandoned(CaptureRef last) {
        abandonedVisits.accept(last);
    }

    @Override
    public void linked(CrawlUrl url) {
        links.accept(url);
    }

    @Override
    public int priorityPenalty(CrawlUrl newcomer, Hop hop, long parent) {
        return traps.priorityPenalty(newcomer, hop, parent) - rules.points(newcomer);
    }

    @Override
    public void reportNew(CrawlUrl url, Hop hop, long parent, boolean isNew) {
        traps.reportNew(url, hop, parent, isNew);
    }
}
