/**
 * Copies a crawl's outputs to external stores: MongoDB and S3.
 *
 * <p>Neither is part of a commit. Each follows the frontier's commits on its own thread and stores
 * its position in the store itself. So a store that is slow, unavailable or new delays nothing, and
 * catches up to the same content after any crash on either side.
 */
@NullMarked
package dev.orbweaver.sinks;

import org.jspecify.annotations.NullMarked;
