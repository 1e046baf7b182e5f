/**
 * A crawl's outputs in other places: MongoDB and S3.
 *
 * <p>Neither is part of a commit. Each follows what the frontier has committed on a thread of its
 * own and keeps its position in the store itself. So a store that is slow, unavailable or new
 * delays nothing, and catches up to the same content after any crash on either side.
 */
@NullMarked
package dev.orbweaver.sinks;

import org.jspecify.annotations.NullMarked;
