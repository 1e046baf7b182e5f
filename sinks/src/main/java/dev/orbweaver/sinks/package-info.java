/**
 * A crawl's outputs in other places: MongoDB and S3.
 *
 * <p>Neither is part of a commit. Each follows, on a thread of its own, what the frontier has
 * committed, and keeps its position at the place itself. So a place that is slow, gone or new
 * delays nobody, and after any number of deaths on either side it catches up to the same content.
 */
@NullMarked
package dev.orbweaver.sinks;

import org.jspecify.annotations.NullMarked;
