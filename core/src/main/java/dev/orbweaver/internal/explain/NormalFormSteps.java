package dev.orbweaver.internal.explain;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CrawlUrl;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Tells step by step how a text becomes the normal form of a URL, each rule switched on alone. */
final class NormalFormSteps {

    private NormalFormSteps() {}

    static List<String> explain(String asked, CrawlUrl url, Normalisation settings) {
        var steps = new ArrayList<String>();
        var text = asked.strip();
        var fragment = text.indexOf('#');
        if (fragment >= 0) {
            steps.add("the fragment is no part of what is requested: " + text.substring(fragment));
            text = text.substring(0, fragment);
        }
        if (!text.equals(url.text())) {
            steps.add("written as the URL standard writes it: " + url.text());
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

    /** The rules in force, in the order in which they are told, each with those before it. */
    private static List<Rule> rules(Normalisation n) {
        var none = Set.<String>of();
        var tracking = n.ignoreTracking();
        var sessions = n.ignoreSessions();
        var names = n.ignoreParameters();
        var sort = n.sortQuery();
        var index = n.ignoreIndexFile();
        return List.of(
                new Rule("escapes and slashes that make no difference", Normalisation.DEFAULT),
                rule("drop-tracking", false, tracking, false, none, false),
                rule("drop-sessions", false, tracking, sessions, none, false),
                rule("drop-parameters", false, tracking, sessions, names, false),
                rule("sort-query", sort, tracking, sessions, names, false),
                rule("drop-index-file", sort, tracking, sessions, names, index),
                new Rule("drop-trailing-slash", n));
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
