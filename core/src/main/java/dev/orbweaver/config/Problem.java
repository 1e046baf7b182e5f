package dev.orbweaver.config;

/**
 * An invalid setting.
 *
 * @param key the setting as it was written; empty if the problem concerns no single setting
 * @param message an error message for users that names the setting
 */
public record Problem(String key, String message) {}
