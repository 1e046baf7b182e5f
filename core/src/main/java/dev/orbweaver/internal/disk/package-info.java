/**
 * The file operations of frontier and sink behind one interface, so that tests can inject faults.
 * Also the names of the files in a crawl's directory.
 */
@NullMarked
package dev.orbweaver.internal.disk;

import org.jspecify.annotations.NullMarked;
