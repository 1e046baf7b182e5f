package dev.orbweaver.fetch;

import dev.orbweaver.fetch.AddressBook.Entry;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Looks names up in a book that is shared with others, and asks only for what does not stand there.
 * That there is no such name is not shared: it may be true of this machine's network alone.
 */
final class SharedOracle implements Names.Oracle {

    /** A book that is not at hand must not use up the time for asking. */
    private static final long BOOK_MILLIS = 500;

    private static final Executor ASIDE = task -> Thread.ofVirtual().start(task);

    private final AddressBook book;
    private final Names.Oracle oracle;

    SharedOracle(AddressBook book, Names.Oracle oracle) {
        this.book = book;
        this.oracle = oracle;
    }

    @Override
    public CompletableFuture<Names.Answer> ask(String host) {
        return CompletableFuture.supplyAsync(() -> book.find(host), ASIDE)
                .completeOnTimeout(Optional.empty(), BOOK_MILLIS, TimeUnit.MILLISECONDS)
                .thenCompose(
                        known ->
                                known.filter(entry -> !entry.addresses().isEmpty())
                                        .map(SharedOracle::answer)
                                        .map(CompletableFuture::completedFuture)
                                        .orElseGet(() -> askAndTell(host)));
    }

    private static Names.Answer answer(Entry entry) {
        return new Names.Answer(entry.addresses(), "", entry.lasts());
    }

    private CompletableFuture<Names.Answer> askAndTell(String host) {
        return oracle.ask(host)
                .whenComplete(
                        (answer, _) -> {
                            if (answer != null && !answer.addresses().isEmpty()) {
                                tell(host, answer);
                            }
                        });
    }

    private void tell(String host, Names.Answer answer) {
        var entry = new Entry(List.copyOf(answer.addresses()), answer.lasts());
        ASIDE.execute(() -> book.keep(host, entry));
    }

    @Override
    public void close() {
        oracle.close();
    }
}
