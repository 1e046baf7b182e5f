/**
 * A web crawler: polite, lossless, fast, explainable. {@link dev.orbweaver.Crawler} is the front
 * door; ARCHITECTURE.md has the floor plan.
 */
@NullMarked
package dev.orbweaver;

import org.jspecify.annotations.NullMarked;
