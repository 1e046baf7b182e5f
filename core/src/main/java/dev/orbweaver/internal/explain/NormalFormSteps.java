package dev.orbweaver.internal.explain;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CrawlUrl;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Explains step by step how a text becomes the normal form of a URL, one rule at a time. */
final class NormalFormSteps {

    private NormalFormSteps() {}

    static List<String> explain(String requested, CrawlUrl url, Normalisation settings) {
        var steps = new ArrayList<String>();
        var text = requested.strip();
        var fragment = text.indexOf('#');
        if (fragment >= 0) {
            steps.add(
                    "removed the fragment, which is never requested: " + text.substring(fragment));
            text = text.substring(0, fragment);
        }
        if (!text.equals(url.text())) {
            steps.add("serialized as in the URL standard: " + url.text());
        }
        var last = url.text();
        for (var rule : rules(settings)) {
            var next = new CrawlUrls(rule.upTo).normalForm(url);
            if (!next.equals(last)) {
                steps.add(rule.name + ": " + next);
            }
            last = next;
        }
        return steps;
    }

    private record Rule(String name, Normalisation upTo) {}

    /** Returns the active rules in order of application, each combined with the rules before it. */
    private static List<Rule> rules(Normalisation n) {
        var none = Set.<String>of();
        var tracking = n.ignoreTracking();
        var sessions = n.ignoreSessions();
        var names = n.ignoreParameters();
        var sort = n.sortQuery();
        var index = n.ignoreIndexFile();
        return List.of(
                new Rule("equivalent escapes and slashes", Normalisation.DEFAULT),
                rule("ignore-tracking", false, tracking, false, none, false),
                rule("ignore-sessions", false, tracking, sessions, none, false),
                rule("ignore-parameters", false, tracking, sessions, names, false),
                rule("sort-query", sort, tracking, sessions, names, false),
                rule("ignore-index-file", sort, tracking, sessions, names, index),
                new Rule("ignore-trailing-slash", n));
    }

    private static Rule rule(
            String name,
            boolean sort,
            boolean tracking,
            boolean sessions,
            Set<String> parameters,
            boolean index) {
        return new Rule(
                name, new Normalisation(sort, tracking, sessions, parameters, false, index));
    }
}
