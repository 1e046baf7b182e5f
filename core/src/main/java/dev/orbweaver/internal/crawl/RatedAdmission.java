package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.AdmissionHook;
import dev.orbweaver.internal.scope.PriorityRules;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;

/** Applies the user's priority rules to accepted URLs, and passes them to the trap detector. */
record RatedAdmission(AdmissionHook traps, PriorityRules rules) implements AdmissionHook {

    @Override
    public int priorityPenalty(CrawlUrl newcomer, Hop hop, long parent) {
        return traps.priorityPenalty(newcomer, hop, parent) - rules.points(newcomer);
    }

    @Override
    public void reportNew(CrawlUrl url, Hop hop, long parent, boolean isNew) {
        traps.reportNew(url, hop, parent, isNew);
    }
}
