/** Captures as documents in MongoDB. */
@NullMarked
package dev.orbweaver.store.mongo;

import org.jspecify.annotations.NullMarked;
