package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.AdmissionHook;
import dev.orbweaver.internal.scope.PriorityRules;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;

import java.util.function.Consumer;

/**
 * Applies the user's priority rules to accepted URLs, and passes them to the trap detector.
 *
 * @param links receives the target of every link
 */
record RatedAdmission(AdmissionHook traps, PriorityRules rules, Consumer<CrawlUrl> links)
        implements AdmissionHook {

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
