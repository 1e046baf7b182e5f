package dev.orbweaver.testing;

import org.junit.jupiter.api.Tag;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A test that {@code mvn test} skips and {@code mvn verify} runs: it starts a process (a crawler,
 * Redis, MongoDB, S3, a browser) or takes more than a few seconds.
 */
@Tag(Slow.TAG)
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface Slow {

    /** The tag by which pom.xml selects tests; {@code TestSelectionTest} compares the two. */
    String TAG = "slow";
}
