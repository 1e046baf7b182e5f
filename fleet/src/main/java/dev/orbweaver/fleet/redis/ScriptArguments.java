package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.frontier.CanIgnoreReturnValue;

import java.nio.charset.StandardCharsets;

/** Receives the arguments of a script in order, each with its name in the script. */
@CanIgnoreReturnValue
@FunctionalInterface
interface ScriptArguments {

    void add(String name, byte[] value);

    default ScriptArguments bytes(String name, byte[] value) {
        add(name, value);
        return this;
    }

    default ScriptArguments text(String name, String value) {
        return bytes(name, value.getBytes(StandardCharsets.UTF_8));
    }

    default ScriptArguments number(String name, long value) {
        return text(name, Long.toString(value));
    }

    default ScriptArguments flag(String name, boolean value) {
        return text(name, value ? "1" : "");
    }

    default ScriptArguments constant(String name, ScriptConstants.Constant value) {
        return text(name, value.text());
    }
}
