package dev.orbweaver.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Vectors;

import org.junit.jupiter.api.Test;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcRecord;
import org.netpreserve.jwarc.WarcResponse;
import org.netpreserve.jwarc.WarcTargetRecord;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Archives of other tools: our reader finds every record of their lists. */
class WarcVectorsTest {

    @Test
    void everyRecordOfTheSampleArchivesIsFoundWhereItIsSaidToLie() throws IOException {
        var failures = new ArrayList<String>();
        var found = 0;
        for (var archive : Vectors.json("warc/expected.json")) {
            var name = archive.get("file").asString();
            // ARC is another format, which is not supported here.
            if (!name.endsWith(".arc")) {
                var expected = new ArrayList<String>();
                archive.get("records").forEach(record -> expected.add(listed(record)));
                var records = records(name);
                found += expected.size();
                if (!records.subList(0, Math.min(records.size(), expected.size()))
                        .equals(expected)) {
                    failures.add(name + ": " + records + " instead of " + expected);
                }
            }
        }
        assertThat(failures).isEmpty();
        assertThat(found).isGreaterThan(50);
    }

    /** The lists escape spaces in URLs; the records have them unescaped. */
    private static String listed(JsonNode record) {
        var status = record.path("http_status").asString("");
        var type = record.get("type").asString();
        return "%s at %d %s %s %s%s"
                .formatted(
                        type,
                        record.get("offset").asLong(),
                        record.path("target").asString("").replace("%20", " "),
                        record.get("date").asString(),
                        record.get("record_id").asString(),
                        type.equals("response") ? " " + status : "");
    }

    /** As far as the file can be read; some are damaged on purpose. */
    private static List<String> records(String name) throws IOException {
        var records = new ArrayList<String>();
        try (var reader = new WarcReader(Vectors.path("warc/" + name))) {
            for (var next = reader.next(); next.isPresent(); next = reader.next()) {
                records.add(found(next.get(), reader.position()));
            }
        } catch (IOException damaged) {
            records.add(damaged.getMessage());
        }
        return records;
    }

    private static String found(WarcRecord record, long position) throws IOException {
        return "%s at %d %s %s %s%s"
                .formatted(
                        record.type(),
                        position,
                        record instanceof WarcTargetRecord targeted ? targeted.target() : "",
                        record.date().truncatedTo(ChronoUnit.SECONDS),
                        record.headers().first("WARC-Record-ID").orElse(""),
                        record instanceof WarcResponse response
                                ? " " + response.http().status()
                                : "");
    }
}
