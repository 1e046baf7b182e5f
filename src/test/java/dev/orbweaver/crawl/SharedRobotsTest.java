package dev.orbweaver.crawl;

import static dev.orbweaver.crawl.Stage.url;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.disk.SimulatedDisk;
import dev.orbweaver.frontier.Pause;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Two workers, each with a log of its own, and what one has read the other knows. */
class SharedRobotsTest {

    private static final String PAGE = "http://a.test/page";
    private static final String PRIVATE = "http://a.test/private";
    private static final String DENY_PRIVATE = "user-agent: *\ncrawl-delay: 9\ndisallow: /private";
    private static final Step.Resolve ASKS = new Step.Resolve(url("http://a.test/robots.txt"));

    /** In memory, for as long as it is told; every note is lost when it fails. */
    private static final class Notes implements SharedRobots.Pool {
        private final Map<String, byte[]> notes = new HashMap<>();
        private Duration lasts = Duration.ZERO;
        private boolean away;

        @Override
        public Optional<byte[]> find(String origin) throws IOException {
            fail();
            return Optional.ofNullable(notes.get(origin));
        }

        @Override
        public void keep(String origin, byte[] answer, Duration time) throws IOException {
            fail();
            notes.put(origin, answer);
            lasts = time;
        }

        private void fail() throws IOException {
            if (away) {
                throw new IOException("nobody is there");
            }
        }
    }

    private final Notes notes = new Notes();
    private final Stage one = worker();
    private final Stage two = worker();

    private Stage worker() {
        try {
            var stage = new Stage[1];
            InstantSource clock = () -> stage[0].now;
            var own = RobotsLog.open(new SimulatedDisk(), Path.of("/crawl"));
            stage[0] = new Stage(new SharedRobots(own, notes, clock));
            return stage[0];
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatOneHasReadTheOtherKnows() {
        var _ = one.robots(PAGE, 200, DENY_PRIVATE);
        assertThat(two.visit(PAGE).begin(two.now)).isEqualTo(new Step.Resolve(url(PAGE)));
        assertThat(two.visit(PRIVATE).begin(two.now)).isInstanceOf(Step.Settle.class);
        assertThat(two.etiquette.robots().delayOfHost(url(PAGE))).isEqualTo(Duration.ofSeconds(9));
        assertThat(notes.lasts).isEqualTo(RobotsAnswer.FRESH);
    }

    @Test
    void aFileThatCannotBeHadIsNotAskedForByEach() {
        var _ = one.robots(PAGE, 500, "");
        var told = ((Step.GiveBack) two.visit(PAGE).begin(two.now)).why();
        assertThat(told).isInstanceOf(Pause.RobotsUnreachable.class);
        two.now = two.now.plusSeconds(61);
        assertThat(two.visit(PAGE).begin(two.now)).isEqualTo(ASKS);
    }

    /** Also one that is still in memory. */
    @Test
    void anAnswerThatIsNoLongerGoodIsTakenFromWhoeverAskedSince() {
        var _ = two.robots(PAGE, 500, "");
        one.now = two.now.plusSeconds(61);
        two.now = one.now;
        var _ = one.robots(PAGE, 200, DENY_PRIVATE);
        assertThat(two.visit(PAGE).begin(two.now)).isEqualTo(new Step.Resolve(url(PAGE)));
    }

    @Test
    void anOlderAnswerIsNotTakenForANewerOne() {
        var _ = one.robots(PAGE, 200, DENY_PRIVATE);
        var old = Map.copyOf(notes.notes);
        one.now = one.now.plus(RobotsAnswer.FRESH);
        var _ = one.robots(PAGE, 200, "");
        notes.notes.putAll(old);
        one.now = one.now.plus(RobotsAnswer.FRESH);
        assertThat(one.visit(PAGE).begin(one.now)).isEqualTo(ASKS);
    }

    @Test
    void whereNothingCanBeSharedEachAsksForItself() {
        notes.away = true;
        var _ = one.robots(PAGE, 200, DENY_PRIVATE);
        assertThat(one.visit(PAGE).begin(one.now)).isEqualTo(new Step.Resolve(url(PAGE)));
        assertThat(two.visit(PAGE).begin(two.now)).isEqualTo(ASKS);
    }

    @Test
    void aNoteThatIsNoAnswerIsNone() {
        notes.notes.put("http://a.test", "something else entirely".getBytes(UTF_8));
        assertThat(two.visit(PAGE).begin(two.now)).isEqualTo(ASKS);
    }

    @Test
    void aNoteOfAnotherOriginIsNone() {
        var _ = one.robots("http://b.test/page", 200, DENY_PRIVATE);
        notes.notes.put("http://a.test", notes.notes.get("http://b.test"));
        assertThat(two.visit(PAGE).begin(two.now)).isEqualTo(ASKS);
    }
}
