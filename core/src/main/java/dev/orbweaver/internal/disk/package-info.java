/** The file operations of frontier and sink behind one interface, so that tests can break them. */
@NullMarked
package dev.orbweaver.internal.disk;

import org.jspecify.annotations.NullMarked;
