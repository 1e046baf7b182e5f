/** Fleets: workers that crawl jobs together, their job service, and explanations of their URLs. */
@NullMarked
package dev.orbweaver.fleet;

import org.jspecify.annotations.NullMarked;
