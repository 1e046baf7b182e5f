package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.io.IOException;

class CommitStatusTest {

    private static final CommitStatus PENDING =
            new CommitStatus.Pending(StorageProblem.ofDisk(new IOException("No space left")));

    @Test
    void onlyWhatIsPendingIsNotStored() {
        assertThat(PENDING.isStored()).isFalse();
        assertThat(CommitStatus.durable().isStored()).isTrue();
        assertThat(CommitStatus.ofRejected(2).isStored()).isTrue();
    }

    @Test
    void noRejectedLeaseIsDurable() {
        assertThat(CommitStatus.ofRejected(0)).isEqualTo(CommitStatus.durable());
        assertThat(CommitStatus.ofRejected(2)).isEqualTo(new CommitStatus.Rejected(2));
    }

    @Test
    void aCallerThatCannotWaitFailsWithTheStorageAndItsMessage() {
        assertThatThrownBy(PENDING::requireStored)
                .isInstanceOf(IOException.class)
                .hasMessage("frontier storage unavailable (disk): No space left");
        assertThatCode(() -> CommitStatus.ofRejected(1).requireStored()).doesNotThrowAnyException();
    }

    @Test
    void aCallerThatMayRepeatLearnsThatTheFrontierIsUnavailable() {
        assertThat(new FrontierAdmin.Requeued(3, CommitStatus.durable()).requireStored())
                .isEqualTo(3);
        assertThatThrownBy(() -> new FrontierAdmin.Requeued(3, PENDING).requireStored())
                .isInstanceOf(FrontierUnavailableException.class)
                .hasMessage("frontier storage unavailable (disk): No space left");
    }
}
