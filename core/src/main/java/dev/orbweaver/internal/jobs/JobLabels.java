package dev.orbweaver.internal.jobs;

import com.fasterxml.jackson.annotation.JsonInclude;

import java.util.List;
import java.util.Optional;

/**
 * What a job's client says about it; none of it affects the crawl.
 *
 * @param name instead of the host of its first seed
 * @param createdBy the owner of the token that submitted it; empty if it was not submitted with one
 * @param requestDigest of the submitted request, to detect another request with the same
 *     idempotency key
 * @param family what its runs have in common: a schedule, a template, or the job that was cloned
 * @param keep how long it is kept after its end; empty for the rule of the operator
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record JobLabels(
        Optional<String> name,
        List<String> tags,
        Optional<String> notes,
        Optional<String> createdBy,
        Optional<String> requestDigest,
        Optional<String> family,
        Optional<Keep> keep) {

    /**
     * How long jobs are kept after their end. A job is deleted when none of the two keeps it.
     *
     * @param days since its end
     * @param runs the number of newest runs of its family
     */
    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    public record Keep(Optional<Integer> days, Optional<Integer> runs) {

        /** Nothing is deleted. */
        public static final Keep ALL = new Keep(Optional.empty(), Optional.empty());
    }

    public static final JobLabels NONE =
            new JobLabels(
                    Optional.empty(),
                    List.of(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty());

    public JobLabels {
        tags = List.copyOf(tags);
    }

    /** Returns these labels with another name, other tags and other notes. */
    public JobLabels with(
            Optional<String> otherName, List<String> otherTags, Optional<String> otherNotes) {
        return new JobLabels(
                otherName, otherTags, otherNotes, createdBy, requestDigest, family, keep);
    }

    /** Returns these labels with who submitted the job, and the digest of that request. */
    public JobLabels submittedBy(Optional<String> who, Optional<String> digest) {
        return new JobLabels(name, tags, notes, who, digest, family, keep);
    }

    public JobLabels withFamily(String otherFamily) {
        return new JobLabels(
                name, tags, notes, createdBy, requestDigest, Optional.of(otherFamily), keep);
    }

    public JobLabels withKeep(Optional<Keep> otherKeep) {
        return new JobLabels(name, tags, notes, createdBy, requestDigest, family, otherKeep);
    }
}
