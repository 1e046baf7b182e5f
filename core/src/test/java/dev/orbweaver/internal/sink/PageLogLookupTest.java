package dev.orbweaver.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

class PageLogLookupTest {

    @TempDir Path directory;

    @Test
    void everyLineIsFoundAndNoOther() throws Exception {
        var random = new Random(7);
        var text = new StringBuilder();
        var line = 0L;
        for (var i = 0; i < 3000; i++) {
            line += 1 + random.nextInt(3);
            text.append(
                    "{\"seq\":%d,\"url\":\"https://example.com/%s\",\"kind\":\"page\",\"time\":\"2026-01-01T00:00:00Z\"}\n"
                            .formatted(line, "x".repeat(random.nextInt(400))));
        }
        var file = Files.writeString(directory.resolve("pages.log"), text);
        var length = Files.size(file);
        var numbers = numbers(file, length);
        for (var wanted = 0L; wanted <= line + 1; wanted++) {
            var found = PageLogLookup.find(file, length, wanted);
            assertThat(found.isPresent()).isEqualTo(numbers.contains(wanted));
            var expected = wanted;
            found.ifPresent(entry -> assertThat(entry.seq()).isEqualTo(expected));
        }
        assertThat(PageLogLookup.find(file, 0, 1)).isEmpty();
    }

    private static Set<Long> numbers(Path file, long length) throws Exception {
        var numbers = new HashSet<Long>();
        PageLog.readAll(file, length, entry -> numbers.add(entry.seq()));
        return numbers;
    }
}
