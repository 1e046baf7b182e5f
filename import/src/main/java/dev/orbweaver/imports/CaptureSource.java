package dev.orbweaver.imports;

import dev.orbweaver.internal.seeds.SeedEntry;
import dev.orbweaver.internal.seeds.SeedOutput;
import dev.orbweaver.internal.seeds.SeedSource;

import java.io.IOException;

/** A source whose URLs were captured already, so that their captures can be taken over too. */
public interface CaptureSource extends SeedSource {

    /** Receives captures in the order of the archive. */
    interface CaptureOutput {

        /**
         * Receives a capture.
         *
         * @param number number of the line or record in its file, from 1
         */
        void add(long number, ArchivedCapture capture) throws IOException;

        /** As {@link SeedOutput#reject}. */
        void reject(long number, String text, String reason) throws IOException;

        /** As {@link SeedOutput#progress}. */
        void progress(String what);
    }

    /** Reads all captures of http and https URLs. */
    void readCaptures(CaptureOutput out) throws IOException, InterruptedException;

    @Override
    default void read(SeedOutput out) throws IOException, InterruptedException {
        var recent = new IndexQuery.Recent();
        readCaptures(
                new CaptureOutput() {
                    @Override
                    public void add(long number, ArchivedCapture capture) throws IOException {
                        if (recent.isNew(capture.url())) {
                            out.add(number, SeedEntry.of(capture.url()));
                        }
                    }

                    @Override
                    public void reject(long number, String text, String reason) throws IOException {
                        out.reject(number, text, reason);
                    }

                    @Override
                    public void progress(String what) {
                        out.progress(what);
                    }
                });
    }
}
