package dev.orbweaver.cli;

import dev.orbweaver.internal.sink.SinkStatus;

/** Formats the status of a sink as one line. */
final class SinkText {

    private SinkText() {}

    static String describe(SinkStatus store, String catchUp) {
        var text = store.name() + ": " + amount(store);
        if (store.isComplete()) {
            return text;
        }
        var why = store.problem().isEmpty() ? "" : " (" + store.problem() + ")";
        return text + why + "; to catch up: " + catchUp;
    }

    static String amount(SinkStatus store) {
        return store.isComplete()
                ? "all " + quantity(store, store.done())
                : quantity(store, store.done()) + " of " + quantity(store, store.total());
    }

    private static String quantity(SinkStatus store, long number) {
        return store.unit().equals("bytes")
                ? Numbers.bytes(number)
                : Numbers.count(number) + " " + store.unit();
    }
}
