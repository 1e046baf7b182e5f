package dev.orbweaver.internal.sink;

import dev.orbweaver.model.SinkCounts;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The sinks that follow a crawl's page log. */
public interface SinkFollowers {

    SinkFollowers NONE = all(List.of());

    List<SinkStatus> status();

    /** Since the start, by name. */
    Map<String, SinkCounts> counts();

    /** Lets them catch up, closes them, and returns how far each came. */
    List<SinkStatus> finish() throws InterruptedException;

    static SinkFollowers all(List<SinkFollowers> parts) {
        return new SinkFollowers() {
            @Override
            public List<SinkStatus> status() {
                return parts.stream().flatMap(part -> part.status().stream()).toList();
            }

            @Override
            public Map<String, SinkCounts> counts() {
                var counts = new HashMap<String, SinkCounts>();
                parts.forEach(part -> counts.putAll(part.counts()));
                return counts;
            }

            @Override
            public List<SinkStatus> finish() throws InterruptedException {
                var ended = new ArrayList<SinkStatus>();
                for (var part : parts) {
                    ended.addAll(part.finish());
                }
                return ended;
            }
        };
    }
}
