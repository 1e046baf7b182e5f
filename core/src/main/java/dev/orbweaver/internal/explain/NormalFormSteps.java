package dev.orbweaver.internal.explain;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CrawlUrl;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Tells step by step how a text becomes the normal form of a URL, each rule switched on alone. */
final class NormalFormSteps {

    private static final Normalisation BARE =
            new Normalisation(false, false, false, Set.of(), false, false);

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
        var rules = new ArrayList<Rule>();
        rules.add(new Rule("escapes and slashes that make no difference", BARE));
        var none = Set.<String>of();
        rules.add(
                new Rule(
                        "drop-tracking",
                        new Normalisation(false, n.ignoreTracking(), false, none, false, false)));
        rules.add(
                new Rule(
                        "drop-sessions",
                        new Normalisation(
                                false,
                                n.ignoreTracking(),
                                n.ignoreSessions(),
                                none,
                                false,
                                false)));
        rules.add(
                new Rule(
                        "drop-parameters",
                        new Normalisation(
                                false,
                                n.ignoreTracking(),
                                n.ignoreSessions(),
                                n.ignoreParameters(),
                                false,
                                false)));
        rules.add(
                new Rule(
                        "sort-query",
                        new Normalisation(
                                n.sortQuery(),
                                n.ignoreTracking(),
                                n.ignoreSessions(),
                                n.ignoreParameters(),
                                false,
                                false)));
        rules.add(
                new Rule(
                        "drop-index-file",
                        new Normalisation(
                                n.sortQuery(),
                                n.ignoreTracking(),
                                n.ignoreSessions(),
                                n.ignoreParameters(),
                                false,
                                n.ignoreIndexFile())));
        rules.add(new Rule("drop-trailing-slash", n));
        return rules;
    }
}
