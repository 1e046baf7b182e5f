/** Files of a crawl's directory: settings, location of the frontier, exclusion lists. */
@NullMarked
package dev.orbweaver.internal.directory;

import org.jspecify.annotations.NullMarked;
