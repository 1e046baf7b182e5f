/**
 * The few file operations that frontier and sink need, behind one interface so that tests can break
 * them.
 */
@NullMarked
package dev.orbweaver.internal.disk;

import org.jspecify.annotations.NullMarked;
