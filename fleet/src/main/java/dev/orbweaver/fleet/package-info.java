/**
 * Jobs that several workers crawl together: workers, the job service of a fleet, and explanations
 * of its URLs.
 */
@NullMarked
package dev.orbweaver.fleet;

import org.jspecify.annotations.NullMarked;
