/** Opens crawls in their directories, runs them, and reads and changes directories. */
@NullMarked
package dev.orbweaver.internal.engine;

import org.jspecify.annotations.NullMarked;
