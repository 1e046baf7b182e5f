/** Bytes to {@link dev.orbweaver.model.Page}: charset, links, title, robots directives. */
@NullMarked
package dev.orbweaver.parse;

import org.jspecify.annotations.NullMarked;
