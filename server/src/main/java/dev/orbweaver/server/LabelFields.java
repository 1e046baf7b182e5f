package dev.orbweaver.server;

import dev.orbweaver.internal.jobs.JobLabels;
import dev.orbweaver.internal.jobs.JobLabels.Keep;

import tools.jackson.databind.JsonNode;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads the fields {@code name}, {@code tags}, {@code notes} and {@code keep} of a request. */
final class LabelFields {

    static final int NAME_MAX = 100;
    static final int TAGS_MAX = 20;
    static final int TAG_MAX = 50;
    static final int NOTES_MAX = 2_000;
    static final int KEEP_MAX = 10_000;
    private static final Set<String> KEEP_FIELDS = Set.of("days", "runs");

    private LabelFields() {}

    /** Returns labels with those that a body has; null or an empty text removes one. */
    static JobLabels read(JsonNode body, JobLabels before) {
        return before.with(
                        text(body, "name", NAME_MAX, before.name()),
                        tags(body.path("tags"), before.tags()),
                        text(body, "notes", NOTES_MAX, before.notes()))
                .withKeep(keep(body.path("keep"), before.keep()));
    }

    private static Optional<Keep> keep(JsonNode keep, Optional<Keep> before) {
        if (keep.isMissingNode()) {
            return before;
        }
        if (keep.isNull()) {
            return Optional.empty();
        }
        if (!keep.isObject() || !KEEP_FIELDS.containsAll(keep.propertyNames())) {
            throw ProblemException.inField(
                    "keep", "keep must be an object with days, runs or both.");
        }
        return Optional.of(new Keep(count(keep, "days"), count(keep, "runs")));
    }

    private static Optional<Integer> count(JsonNode keep, String name) {
        var value = keep.path(name);
        if (value.isMissingNode() || value.isNull()) {
            return Optional.empty();
        }
        if (!value.isInt() || value.asInt() < 1 || value.asInt() > KEEP_MAX) {
            throw ProblemException.inField(
                    "keep." + name,
                    "keep.%s must be a number from 1 to %,d.".formatted(name, KEEP_MAX));
        }
        return Optional.of(value.asInt());
    }

    private static Optional<String> text(
            JsonNode body, String name, int most, Optional<String> before) {
        var value = body.path(name);
        if (value.isMissingNode()) {
            return before;
        }
        if (value.isNull()) {
            return Optional.empty();
        }
        var text = JobsApi.text(body, name).map(String::strip).filter(each -> !each.isEmpty());
        if (text.filter(each -> each.length() > most).isPresent()) {
            throw ProblemException.inField(
                    name, "%s must have at most %,d characters.".formatted(name, most));
        }
        if (name.equals("name") && text.filter(LabelFields::hasControls).isPresent()) {
            throw ProblemException.inField(name, "name must not contain control characters.");
        }
        return text;
    }

    private static boolean hasControls(String text) {
        return text.chars().anyMatch(Character::isISOControl);
    }

    private static List<String> tags(JsonNode tags, List<String> before) {
        if (tags.isMissingNode()) {
            return before;
        }
        if (tags.isNull()) {
            return List.of();
        }
        if (!tags.isArray() || tags.size() > TAGS_MAX) {
            throw ProblemException.inField(
                    "tags", "tags must be a list of at most " + TAGS_MAX + " texts.");
        }
        var distinct = new LinkedHashSet<String>();
        for (var i = 0; i < tags.size(); i++) {
            var tag = tags.get(i).isString() ? tags.get(i).asString().strip() : "";
            if (tag.isEmpty() || tag.length() > TAG_MAX || hasControls(tag)) {
                throw ProblemException.inField(
                        "tags[" + i + "]",
                        "A tag must be a text of 1 to %d characters without control characters."
                                .formatted(TAG_MAX));
            }
            var _ = distinct.add(tag);
        }
        return List.copyOf(distinct);
    }
}
