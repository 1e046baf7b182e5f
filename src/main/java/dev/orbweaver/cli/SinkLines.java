package dev.orbweaver.cli;

import dev.orbweaver.sink.StoreStatus;

/** How a sink stands, in a line. */
final class SinkLines {

    private SinkLines() {}

    /** With what to do about it when it is behind. */
    static String of(StoreStatus store, String catchUp) {
        var text = store.name() + ": " + amount(store);
        if (store.isComplete()) {
            return text;
        }
        var why = store.trouble().isEmpty() ? "" : " (" + store.trouble() + ")";
        return text + why + "; to catch up: " + catchUp;
    }

    /** How much it has of how much. */
    static String amount(StoreStatus store) {
        return store.isComplete()
                ? "all " + quantity(store, store.done())
                : quantity(store, store.done()) + " of " + quantity(store, store.total());
    }

    private static String quantity(StoreStatus store, long number) {
        return store.unit().equals("bytes")
                ? Numbers.bytes(number)
                : Numbers.count(number) + " " + store.unit();
    }
}
