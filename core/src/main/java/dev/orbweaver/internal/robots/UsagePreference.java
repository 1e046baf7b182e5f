package dev.orbweaver.internal.robots;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A statement of what content may be used for: {@code train-ai=n, search=y} of the IETF's AI
 * preferences (draft-ietf-aipref-vocab, section 6: a dictionary as in RFC 9651, the last of equal
 * keys counting), and {@code ai-train=no, search=yes} of Content Signals. Both are read alike and
 * leniently; a member that is neither yes nor no says nothing, nor does a key not known here.
 *
 * <p>Earlier drafts had wider terms that held where a narrower one said nothing: {@code ai} for all
 * use by models, {@code bots} for all automated use.
 */
public final class UsagePreference {

    private static final int MEMBERS_MAX = 50;

    private UsagePreference() {}

    public static Set<Directive> denied(String text) {
        var said = members(text);
        var denied = EnumSet.noneOf(Directive.class);
        if (!allows(said, "search", "bots")) {
            denied.add(Directive.NO_SEARCH);
        }
        if (!allows(said, "ai-use", "ai-input", "ai", "bots")) {
            denied.add(Directive.NO_AI_INPUT);
        }
        if (!allows(said, "train-ai", "ai-train", "train-genai", "genai", "ai", "bots")) {
            denied.add(Directive.NO_AI_TRAIN);
        }
        return denied;
    }

    /** The strictest of several header fields counts. */
    public static Set<Directive> denied(List<String> fields) {
        var denied = EnumSet.noneOf(Directive.class);
        fields.forEach(field -> denied.addAll(denied(field)));
        return denied;
    }

    /** The first term that is present decides. */
    private static boolean allows(Map<String, Boolean> said, String... terms) {
        for (var term : terms) {
            if (said.containsKey(term)) {
                return said.getOrDefault(term, true);
            }
        }
        return true;
    }

    private static Map<String, Boolean> members(String text) {
        var said = new HashMap<String, Boolean>();
        for (var member : text.split(",", MEMBERS_MAX)) {
            var equals = member.indexOf('=');
            if (equals > 0) {
                var key = member.substring(0, equals).strip().toLowerCase(Locale.ROOT);
                switch (value(member.substring(equals + 1))) {
                    case "y", "yes" -> said.put(key, true);
                    case "n", "no" -> said.put(key, false);
                    default -> said.remove(key);
                }
            }
        }
        return said;
    }

    /** Without parameters, which are for extensions. */
    private static String value(String text) {
        var semicolon = text.indexOf(';');
        var value = semicolon < 0 ? text : text.substring(0, semicolon);
        return value.strip().toLowerCase(Locale.ROOT);
    }
}
