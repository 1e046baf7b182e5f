package dev.orbweaver.internal.sink;

import dev.orbweaver.model.Validators;

/**
 * The last visit of a URL that is visited again.
 *
 * @param validators of its stored response; none if its payload cannot be read, because then a
 *     response without a payload would be useless
 */
public record PreviousVisit(PageLogEntry entry, Validators validators) {}
