package dev.orbweaver.internal.robots;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Parses a statement of what content may be used for. Two syntaxes are supported: {@code
 * train-ai=n, search=y} of the IETF's AI preferences (draft-ietf-aipref-vocab, section 6: a
 * dictionary as in RFC 9651, where the last of equal keys applies), and {@code ai-train=no,
 * search=yes} of Content Signals. Both are parsed leniently; members that are neither yes nor no,
 * and unknown keys, are ignored.
 *
 * <p>Earlier drafts had wider terms that apply where a narrower one is missing: {@code ai} for all
 * use by models, {@code bots} for all automated use.
 */
public final class UsagePreference {

    private static final int MEMBERS_MAX = 50;

    private UsagePreference() {}

    public static Set<Directive> denied(String text) {
        var members = members(text);
        var denied = EnumSet.noneOf(Directive.class);
        if (!allows(members, "search", "bots")) {
            denied.add(Directive.NO_SEARCH);
        }
        if (!allows(members, "ai-use", "ai-input", "ai", "bots")) {
            denied.add(Directive.NO_AI_INPUT);
        }
        if (!allows(members, "train-ai", "ai-train", "train-genai", "genai", "ai", "bots")) {
            denied.add(Directive.NO_AI_TRAIN);
        }
        return denied;
    }

    /** Returns the denied uses of several header fields, of which the strictest applies. */
    public static Set<Directive> denied(List<String> fields) {
        var denied = EnumSet.noneOf(Directive.class);
        fields.forEach(field -> denied.addAll(denied(field)));
        return denied;
    }

    /** Returns the value of the first term that is present. */
    private static boolean allows(Map<String, Boolean> members, String... terms) {
        for (var term : terms) {
            if (members.containsKey(term)) {
                return members.getOrDefault(term, true);
            }
        }
        return true;
    }

    private static Map<String, Boolean> members(String text) {
        var members = new HashMap<String, Boolean>();
        for (var member : text.split(",", MEMBERS_MAX)) {
            var equals = member.indexOf('=');
            if (equals > 0) {
                var key = member.substring(0, equals).strip().toLowerCase(Locale.ROOT);
                switch (value(member.substring(equals + 1))) {
                    case "y", "yes" -> members.put(key, true);
                    case "n", "no" -> members.put(key, false);
                    default -> members.remove(key);
                }
            }
        }
        return members;
    }

    /** Returns the value without parameters, which are reserved for extensions. */
    private static String value(String text) {
        var semicolon = text.indexOf(';');
        var value = semicolon < 0 ? text : text.substring(0, semicolon);
        return value.strip().toLowerCase(Locale.ROOT);
    }
}
