package dev.orbweaver.config;

/**
 * One thing that is wrong with the settings.
 *
 * @param key the setting, as it was written; empty where the problem is of no single setting
 * @param message a sentence for a user, which names the setting
 */
public record Problem(String key, String message) {}
