/**
 * Explains a URL: where it was found, why it was or was not fetched, and what came of it. {@link
 * dev.orbweaver.internal.explain.UrlExplainer} collects the facts, {@link
 * dev.orbweaver.internal.explain.UrlExplanation} is the result, {@link
 * dev.orbweaver.internal.explain.ExplanationText} and {@link
 * dev.orbweaver.internal.explain.ExplanationJson} are its forms for people and for programs.
 */
@NullMarked
package dev.orbweaver.internal.explain;

import org.jspecify.annotations.NullMarked;
